"""Detectors: races and barrier divergence in the events of a run."""
