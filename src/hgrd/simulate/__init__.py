"""Execution of kernels on concrete launches: every access, without a GPU."""
