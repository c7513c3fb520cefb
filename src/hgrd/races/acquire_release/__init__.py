"""Acquire and release events around accesses, by program order; what each idiom of synchronisation is made of."""
