"""State of a run of host code: the call at hand, streams, symbol copies."""
