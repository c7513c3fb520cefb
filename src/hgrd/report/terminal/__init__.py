"""Findings as text for a terminal."""
