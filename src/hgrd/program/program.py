"""A translation unit as the analyses see it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

from hgrd.program.expressions import Expression, FunctionRef, Variable
from hgrd.program.span import Span
from hgrd.program.statements import Block
from hgrd.program.types import Record, Type


class Side(Enum):
    HOST = "host"
    DEVICE = "device"
    BOTH = "both"
    KERNEL = "kernel"


class Function(Struct, frozen=True):
    """Function of a program; a template gives one for each instantiation.

    `parameters` begin with `this` (a pointer) for methods.  Constructors initialise members and bases
    at the start of `body`.  `body` is None for declarations.  `noreturn` is as declared (exit, abort).
    `restrict` are the keys of the parameters that are pointers declared `__restrict__`.
    `declared` is its type as the source says it: "void (const int *) const".
    `defaults` is how many of its last parameters may be left out.
    Where the source has gotos, `written` is the body with them, and `body` what `irregular` makes of it.
    """

    ref: FunctionRef
    side: Side
    parameters: tuple[Variable, ...]
    returns: Type
    body: Block | None
    span: Span
    max_threads: int | None = None  # __launch_bounds__
    cluster: tuple[int | None, int | None, int | None] | None = None  # __cluster_dims__; None inside: not constant
    noreturn: bool = False
    pure: bool = False  # pure virtual: without a body of its own
    variadic: bool = False
    restrict: frozenset[str] = frozenset()
    declared: str = ""
    written: Block | None = None
    defaults: int = 0

    @property
    def user_code(self) -> bool:
        """Whether it stands in a file the user gave or included, not in a header of CUDA or of the system."""
        return self.ref.user_code


class Global(Struct, frozen=True):
    variable: Variable
    initial: Expression | None
    constant: bool  # declared const: its initial value stays
    external: bool = False  # only declared here (`extern`): another file defines it


class Diagnostic(Struct, frozen=True):
    """Message of the front end; `error`: something there was not understood, and `whole`: the whole function.

    `instances`: of a template that was, further instances are not looked at.
    """

    span: Span
    message: str
    error: bool
    whole: bool = False
    instances: bool = False


class Template(Struct, frozen=True):
    """A kernel template with a body that nothing in the program instantiates.

    `types` are its type parameters without a default; None: it has others, which have no typical value.
    """

    name: str
    qualified: str
    span: Span
    types: tuple[str, ...] | None


class Program(Struct, frozen=True):
    """Functions, globals and records by key.  `file` is the main file as the user named it.

    `uninstantiated` templates are patterns, with parameters in place of types and constants; `presumed` ones
    are instances with made-up arguments ("T = int").  `macro_guesses` are the assumptions on macros without
    which the file does not compile.  `realigned`: it declares types like others, but of an alignment of their own.
    """

    file: str
    functions: Mapping[str, Function]
    globals: Mapping[str, Global]
    records: Mapping[str, Record]
    diagnostics: tuple[Diagnostic, ...]
    uninstantiated: tuple[Template, ...] = ()
    missing_includes: tuple[str, ...] = ()
    presumed: tuple[tuple[Template, str], ...] = ()
    macro_guesses: tuple[Diagnostic, ...] = ()
    realigned: bool = False

    def kernels(self) -> tuple[Function, ...]:
        """Kernels with bodies, in source order."""
        found = [f for f in self.functions.values() if f.side is Side.KERNEL and f.body is not None]
        return tuple(sorted(found, key=lambda f: (f.span, f.ref.key)))
