"""Races between a launch and other work, or the host."""
