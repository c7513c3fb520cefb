"""Memory access protocols of kernels."""
