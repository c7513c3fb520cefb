"""Repairs of the text: spellings that nvcc accepts and clang does not, and requests for kernel instances."""

from __future__ import annotations

import re
from collections.abc import Iterable

# nvcc's front end puts `<< <` together again; clang's does not.
_SPACED_LAUNCH = re.compile(rb"<[ \t]*<[ \t]*<([^;{}]*?)>[ \t]*>[ \t]*>(?=[ \t\r\n]*\()")
_SUSPECT = re.compile(rb"<[ \t]+<[ \t]*<|<<[ \t]+<|>[ \t]+>[ \t]*>[ \t]*\(|>>[ \t]+>[ \t]*\(")


def repaired(text: bytes) -> bytes | None:
    """The text with launches spelled `<<<...>>>`, every line as long as before; None where nothing changes."""
    if _SUSPECT.search(text) is None:
        return None
    changed = _SPACED_LAUNCH.sub(_closed_up, text)
    return None if changed == text else changed


def _closed_up(found: re.Match[bytes]) -> bytes:
    opening, closing = found[0][: found.start(1) - found.start()], found[0][found.end(1) - found.start() :]
    return b"<<<".ljust(len(opening)) + found[1] + b">>>".rjust(len(closing))


INSTANCE = "__hgrd_instance_"


def instantiating(text: bytes, kernels: Iterable[str]) -> bytes:
    """The text followed by lines that take the addresses of kernels, and so instantiate them."""
    lines = (f"static auto {INSTANCE}{number} = &{kernel};" for number, kernel in enumerate(kernels))
    return text + "\n".join(("", *lines, "")).encode()
