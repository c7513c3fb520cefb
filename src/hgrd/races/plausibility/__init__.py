"""Plausibility of conflicts: those that need what there never is are none."""
