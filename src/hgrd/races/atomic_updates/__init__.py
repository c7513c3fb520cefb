"""Atomic updates of a place: what their results say of each other, and of how many there are."""
