"""The interpreter that machines are given: evaluation of expressions and execution of statements."""

from __future__ import annotations

from typing import Final

from hgrd.symbolic.execution.expressions import evaluate
from hgrd.symbolic.execution.statements import execute
from hgrd.symbolic.machine import Interpreter

INTERPRETER: Final = Interpreter(evaluate, execute)
