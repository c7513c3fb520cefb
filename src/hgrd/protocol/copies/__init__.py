"""Asynchronous copies: where their accesses may be made, up to where they are waited for."""
