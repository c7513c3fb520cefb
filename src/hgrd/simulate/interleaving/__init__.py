"""Interleaving execution, one thread at a time: the oracle, which shares nothing with the vectorised one."""
