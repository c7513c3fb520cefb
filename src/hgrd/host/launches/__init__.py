"""Launches: a kernel call with the facts that hold there."""
