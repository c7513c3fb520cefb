"""Atomic accesses with memory orders and scopes, in all spellings that CUDA has."""

from __future__ import annotations

from random import Random
from typing import Final

LOADS: Final = ("RELAXED", "ACQUIRE", "ACQUIRE", "SEQ_CST")
STORES: Final = ("RELAXED", "RELEASE", "RELEASE", "SEQ_CST")
CHANGES: Final = ("RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
_SCOPES: Final = ("DEVICE", "DEVICE", "SYSTEM", "BLOCK", "THREAD")


class Ordered:
    """Accesses of one scope; `cell` is an int (a place, not a pointer)."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._scope = random.choice(_SCOPES)
        self._builtin = random.random() < 0.5

    def load(self, cell: str) -> str:
        order = self._random.choice(LOADS)
        if self._builtin:
            return f"__nv_atomic_load_n(&{cell}, {self._named(order)})"
        return f"{self._reference(cell)}.load(cuda::memory_order_{order.lower()})"

    def store(self, cell: str, value: str) -> str:
        order = self._random.choice(STORES)
        if self._builtin:
            return f"__nv_atomic_store_n(&{cell}, {value}, {self._named(order)});"
        return f"{self._reference(cell)}.store({value}, cuda::memory_order_{order.lower()});"

    def add(self, cell: str, value: str) -> str:
        order = self._random.choice(CHANGES)
        if self._builtin:
            return f"__nv_atomic_fetch_add(&{cell}, {value}, {self._named(order)})"
        return f"{self._reference(cell)}.fetch_add({value}, cuda::memory_order_{order.lower()})"

    def _named(self, order: str) -> str:
        return f"__NV_ATOMIC_{order}, __NV_THREAD_SCOPE_{self._scope}"

    def _reference(self, cell: str) -> str:
        return f"cuda::atomic_ref<int, cuda::thread_scope_{self._scope.lower()}>({cell})"
