"""Analysis of parsed programs: host, protocol, races and replay, in this order."""
