"""Vectorised execution: many threads of a launch at once."""
