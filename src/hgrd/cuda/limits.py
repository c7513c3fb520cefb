"""Sizes that CUDA fixes (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability")."""

WARP_SIZE = 32
"""Threads of a warp."""
ALL_LANES = (1 << WARP_SIZE) - 1
"""The mask of a warp that names every lane."""
MAX_THREADS = 1024
"""Threads of a block, at most."""
BLOCK_LIMITS = (1024, 1024, 64)
"""Extents of a block in x, y and z, at most."""
GRID_LIMITS = ((1 << 31) - 1, 65535, 65535)
"""Extents of a grid in x, y and z, at most."""
NAMED_BARRIERS = 16
"""Barriers of a block that go by a number."""
CLUSTER_BLOCKS = 16
"""Blocks of a cluster along an axis, at most (8 unless a kernel asks for more: "Thread Block Clusters")."""
