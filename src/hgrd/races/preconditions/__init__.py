"""Preconditions: the weakest condition that excludes a finding."""
