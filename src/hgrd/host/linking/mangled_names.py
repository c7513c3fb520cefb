"""Constness of parameters, from the mangled name of a function (Itanium C++ ABI, "Mangling")."""

from __future__ import annotations

import re

_WRITABLE = re.compile(r"[PR](?!K)")


def may_write(key: str) -> tuple[bool, bool]:
    """Whether a function of this key may write through (its object, its other pointers and references)."""
    if not key.startswith("_Z"):
        return True, True
    codes = _without_names(key)
    method = codes.startswith("_ZN")
    return method and not codes.startswith("_ZNK"), _WRITABLE.search(codes) is not None


def takes_constants(key: str) -> bool:
    """Whether a function of this key is a method that may change its object, and gets references to const at most."""
    return may_write(key) == (True, False) and "P" not in _without_names(key)


def _without_names(key: str) -> str:
    """The mangled name without its identifiers, which are preceded by their lengths."""
    kept: list[str] = []
    position = 0
    while position < len(key):
        number = re.match(r"\d+", key[position:])
        if number is not None and kept and kept[-1] not in "STL":
            position += len(number[0]) + int(number[0])
        else:
            kept.append(key[position])
            position += 1
    return "".join(kept)
