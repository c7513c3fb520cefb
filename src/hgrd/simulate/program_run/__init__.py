"""The run of the program itself: its host code is executed, and its kernels as that launches them."""
