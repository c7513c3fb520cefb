"""Findings as text and JSON."""
