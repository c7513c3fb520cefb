"""Runs host and device code on symbolic values."""
