"""Models of the CUDA runtime in the concrete run, with the C library."""
