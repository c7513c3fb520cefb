"""Phases between barriers: which accesses may happen in parallel."""
