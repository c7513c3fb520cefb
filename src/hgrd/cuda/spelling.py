"""Spellings of other dialects for what CUDA has a name for.

All other code asks for CUDA's names only.  HIP's runtime has the same functions with the prefix `hip` (HIP API
reference, "Porting from CUDA").
"""

_HIP = "hip"
_CUDA = "cuda"


def cuda_name(name: str) -> str:
    """CUDA's name of a function or type of the runtime; other names stay as they are."""
    if name.startswith(_HIP) and name[len(_HIP) : len(_HIP) + 1].isupper():
        return _CUDA + name[len(_HIP) :]
    return name
