"""Plausibility of conflicts: a conflict that needs conditions that never hold is none."""
