"""Barriers: paths past them, their participants, warp masks."""
