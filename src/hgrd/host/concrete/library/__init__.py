"""Models of library functions for the concrete run: each gives exactly what the function does, or forgets."""
