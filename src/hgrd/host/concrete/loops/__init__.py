"""Loops over numbers in the concrete run: they are translated to Python, which runs them many times as fast."""
