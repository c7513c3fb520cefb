"""Inference of a protocol: the device implementation of the symbolic machine's semantics."""
