"""Encoding of accesses and paths as queries."""
