"""What CUDA calls things: spaces, levels and kinds of accesses.  Imports nothing of hgrd."""
