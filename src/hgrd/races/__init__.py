"""Pairs, queries, and what the answers mean."""
