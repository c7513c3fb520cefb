"""Models of library functions: libc, algorithms, containers, the CUDA runtime and driver."""
