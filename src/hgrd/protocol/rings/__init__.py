"""Rings of barriers, found in a protocol: who arrives, in which order, and what a wait tells of others."""
