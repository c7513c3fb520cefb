"""Decides queries.  Knows nothing of CUDA."""
