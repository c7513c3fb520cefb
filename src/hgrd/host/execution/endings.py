"""Endings: code that tells something and ends the program.

`if (status != 0) { fprintf(stderr, "%s", cudaGetErrorString(status)); exit(1); }`
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.program import Function
from hgrd.program.statements import Statement
from hgrd.program.walk import nodes

_TELLING: Final = frozenset(
    (
        "printf", "fprintf", "puts", "fputs", "putchar", "fputc", "perror", "fflush", "strerror", "cudaGetErrorString",
        "cudaGetErrorName", "cudaGetLastError", "cublasGetStatusString", "cublasGetStatusName", "__errno_location",
    )
)  # fmt: skip
_ENDING: Final = frozenset(("exit", "_exit", "_Exit", "abort", "quick_exit"))
_READING: Final = (
    ir.Call, ir.Load, ir.VariablePlace, ir.FieldPlace, ir.Convert, ir.IntConst, ir.StringConst, ir.FloatConst,
    ir.NullPointer, ir.Unary, ir.Binary, ir.Logical, ir.Conditional,
)  # fmt: skip


class Endings(Struct, frozen=True):
    """Arms that end the program, by their identities; nothing that they do matters to anything else."""

    functions: Mapping[str, Function]
    known: dict[int, bool] = field(default_factory=dict[int, bool])

    def has(self, arm: Statement) -> bool:
        """Whether an arm reads nothing but variables, writes nothing, and ends the program."""
        if id(arm) not in self.known:
            self.known[id(arm)] = self._ends(arm)
        return self.known[id(arm)]

    def _ends(self, arm: Statement) -> bool:
        match arm:
            case st.Block(body=(*before, last)):
                return all(self._tells(s, _TELLING) for s in before) and self._ends(last)
            case _:
                return self._tells(arm, _ENDING)

    def _tells(self, statement: Statement, names: frozenset[str]) -> bool:
        """Whether a statement only calls a function of the library with one of these names."""
        if not isinstance(statement, st.Evaluate):
            return False
        whole, *parts = nodes(statement.expression)
        return self._is_of_library(whole, names) and all(
            isinstance(part, _READING) and (not isinstance(part, ir.Call) or self._is_of_library(part, _TELLING))
            for part in parts
        )

    def _is_of_library(self, node: object, names: frozenset[str]) -> bool:
        if not isinstance(node, ir.Call) or node.function.user_code or node.function.name not in names:
            return False
        function = self.functions.get(node.function.key)
        return function is None or function.body is None
