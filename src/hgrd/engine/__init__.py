"""Schedules the analyses of files."""
