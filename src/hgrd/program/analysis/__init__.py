"""Analyses of the IR that need nothing but the IR."""
