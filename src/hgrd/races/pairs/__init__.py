"""Pairs of accesses: candidates and their checker."""
