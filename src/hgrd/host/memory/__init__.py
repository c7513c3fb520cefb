"""Host memory: unknown values and the contents of arrays."""
