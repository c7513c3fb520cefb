"""Provenance of array contents: the input or the program."""
