"""The typed intermediate representation of CUDA programs."""
