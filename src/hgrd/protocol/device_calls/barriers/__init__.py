"""Barriers that device functions make by other means than a function of their own."""
