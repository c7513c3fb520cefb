"""Barrier divergence and locks spun on within a warp."""
