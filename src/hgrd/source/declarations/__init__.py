"""Declarations of a translation unit: types, records and their layout, functions."""
