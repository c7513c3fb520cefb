"""Findings: what the analysis says, as values."""
