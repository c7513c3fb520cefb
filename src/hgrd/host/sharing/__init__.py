"""Sharing of memory by work that may run at the same time: by which pieces of work, and what is said of it."""
