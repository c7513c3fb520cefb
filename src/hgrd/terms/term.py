"""The one shape of a term, and the symbols in it."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias
from weakref import ref

from msgspec import Struct


class Origin(Enum):
    """What a symbol stands for; decides how sure a race that needs its value can be."""

    INPUT = "input"  # a value the host program receives: argv, a file, a parameter without caller
    DIMENSION = "dimension"  # an extent of the launch: blockDim, gridDim
    THREAD = "thread"  # threadIdx
    BLOCK = "block"  # blockIdx
    LOOP = "loop"  # the iteration number of a loop, from 0
    COUNT = "count"  # how many iterations a loop has made when it is left
    ADDRESS = "address"  # where a pointer from outside leads: whether it is null, how far it is from another
    DATA = "data"  # contents of memory, or a value computed from them
    COMPUTED = "computed"  # what a loop makes of memory contents: proofs may use it, races at its value may not
    UNKNOWN = "unknown"  # a value the analysis gave up on: proofs may use it, definite races may not


class Symbol(Struct, frozen=True):
    """A named integer with the bounds that always hold of it (both inclusive)."""

    name: str
    low: int
    high: int
    origin: Origin

    def __hash__(self) -> int:
        return hash(self.name)

    def renamed(self, suffix: str) -> Symbol:
        return Symbol(self.name + suffix, self.low, self.high, self.origin)


class Op(Enum):
    """Operators.  Integers are mathematical; only WRAP and the bit operators know widths."""

    CONST = "const"  # payload: int
    VAR = "var"  # payload: Symbol
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"  # C: truncates toward zero; undefined for divisor 0
    MOD = "%"  # C: sign of the dividend; undefined for divisor 0
    AND_BITS = "&"  # two's complement of unlimited width, as Python's
    OR_BITS = "|"
    XOR_BITS = "^"
    SHL = "<<"  # a * 2**b, b >= 0
    SHR = ">>"  # floor(a / 2**b), b >= 0
    ONES_BELOW = "ones_below"  # (a, n): how many of the n lowest bits of a are ones, n >= 0
    BIT_LENGTH = "bit_length"  # position of the highest one of a >= 0, from 1; 0 of 0
    LOWEST_ONE = "lowest_one"  # position of the lowest one, from 1; 0 of 0
    GCD = "gcd"  # the greatest common divisor, not negative; 0 of 0 and 0
    MIN = "min"
    MAX = "max"
    ITE = "ite"  # (Boolean, integer, integer)
    WRAP = "wrap"  # payload: (bits, signed, soft); see build.wrap
    READ = "read"  # payload: array name; args: index terms; an uninterpreted function
    # Boolean
    TRUE = "true"
    FALSE = "false"
    EQ = "=="
    LE = "<="
    LT = "<"
    NOT = "not"
    AND = "and"
    OR = "or"

    __hash__ = object.__hash__  # members are unique, and Enum's own hash is slow


BOOLEAN_OPS: Final = frozenset({Op.TRUE, Op.FALSE, Op.EQ, Op.LE, Op.LT, Op.NOT, Op.AND, Op.OR})

Payload: TypeAlias = int | str | Symbol | tuple[int, bool, bool] | None


class Term:
    """An immutable, hash-consed expression: equal terms are the same object.

    `low` and `high` bound the value for all values of the symbols within their own bounds
    (0 and 1 for Booleans); `arrays` are the names of those that READ terms in it look into.  Build terms
    with `hgrd.terms.build`, never directly.
    """

    __slots__ = ("__weakref__", "_symbols", "args", "arrays", "high", "low", "op", "opposite", "payload")

    op: Op
    payload: Payload
    args: tuple[Term, ...]
    low: int
    high: int
    arrays: frozenset[str]
    opposite: Term | None  # the negation of a conjunction or disjunction, once it has been asked for
    _symbols: frozenset[Symbol] | None

    @property
    def symbols(self) -> frozenset[Symbol]:
        """All symbols in it."""
        if self._symbols is None:
            stack: list[Term] = [self]
            while stack:
                term = stack[-1]
                waiting = [a for a in term.args if a._symbols is None]
                if waiting:
                    stack.extend(waiting)
                else:
                    term._symbols = _gathered(term)
                    stack.pop()
        return self._symbols or frozenset[Symbol]()

    @property
    def is_bool(self) -> bool:
        return self.op in BOOLEAN_OPS

    @property
    def is_const(self) -> bool:
        return self.op is Op.CONST

    @property
    def value(self) -> int:
        """The integer of a CONST term."""
        assert isinstance(self.payload, int)
        return self.payload

    @property
    def symbol(self) -> Symbol:
        """The symbol of a VAR term."""
        assert isinstance(self.payload, Symbol)
        return self.payload

    @property
    def wrap_to(self) -> tuple[int, bool, bool]:
        """(bits, signed, soft) of a WRAP term."""
        assert isinstance(self.payload, tuple)
        return self.payload

    @property
    def array(self) -> str:
        """The array name of a READ term."""
        assert isinstance(self.payload, str)
        return self.payload


def _gathered(term: Term) -> frozenset[Symbol]:
    if isinstance(term.payload, Symbol):
        return frozenset((term.payload,))
    if len(term.args) == 1:
        return term.args[0].symbols
    return frozenset[Symbol]().union(*(a.symbols for a in term.args))


_NO_ARRAYS: Final = frozenset[str]()


def _arrays(op: Op, payload: Payload, args: tuple[Term, ...]) -> frozenset[str]:
    found = frozenset((payload,)) if op is Op.READ and isinstance(payload, str) else _NO_ARRAYS
    for a in args:
        if a.arrays and a.arrays is not found:
            found = found | a.arrays if found else a.arrays
    return found


class _Entry(ref[Term]):
    """A term in the table, with the key it stands under."""

    __slots__ = ("key",)

    key: tuple[object, ...]


# Interning is invisible (terms are immutable and compared by identity); entries die with their terms.  A dictionary of
# our own: `WeakValueDictionary` calls three functions of Python's for each new term.
_interned: dict[tuple[object, ...], _Entry] = {}


def _forget(entry: _Entry, table: dict[tuple[object, ...], _Entry] = _interned) -> None:
    if table.get(entry.key) is entry:  # `table`, as the names of modules are gone before the last terms are
        del table[entry.key]


def intern(op: Op, payload: Payload, args: tuple[Term, ...], low: int, high: int) -> Term:
    """The unique term of this shape.  The bounds of a READ are its own: they do not follow from the shape."""
    key = (op, payload, low, high, *map(id, args)) if op is Op.READ else (op, payload, *map(id, args))
    entry = _interned.get(key)
    if entry is not None and (found := entry()) is not None:
        return found
    term = Term()
    term.op, term.payload, term.args, term.low, term.high = op, payload, args, low, high
    term.arrays = _arrays(op, payload, args)
    term.opposite = None
    term._symbols = None  # pyright: ignore[reportPrivateUsage]
    entry = _Entry(term, _forget)
    entry.key = key
    _interned[key] = entry
    return term
