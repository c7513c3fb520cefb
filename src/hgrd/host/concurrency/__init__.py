"""Concurrency of the device: what of the work that host code puts on it may run at the same time."""
