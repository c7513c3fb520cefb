"""Addresses in traces: the objects that pointers and handles of a run lead to, and how they were got.

streams[i]; lanes.front()->buffer;                // by a place in an object that holds them, or by a call
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from msgspec import Struct

from hgrd.symbolic.state import Generation
from hgrd.terms import Term, const, negate


class Place(Struct, frozen=True):
    """An address: bytes into an object, by its key.  As a stream, the object is the stream; "": the default one."""

    key: str
    offset: Term


class Either(Struct, frozen=True):
    """One of two addresses."""

    test: Term
    then: Address
    otherwise: Address


Address: TypeAlias = Place | Either
DEFAULT: Final = Place("", const(0))
UNKNOWN: Final = "unknown"
ANYWHERE: Final = "anywhere "  # begins the keys of memory that any pointer may lead to, after it the parameter's name
GOT: Final = "got by "  # begins the keys of handles that may be others when they are got the same way again


def places(address: Address) -> Iterator[Place]:
    """The places that an address may be."""
    match address:
        case Place():
            yield address
        case Either(then=a, otherwise=b):
            yield from places(a)
            yield from places(b)


def ways(address: Address, tests: frozenset[Term] = frozenset()) -> Iterator[tuple[Place, frozenset[Term]]]:
    """The places that an address may be, each with the conditions under which it is that."""
    match address:
        case Place():
            yield address, tests
        case Either(test=test, then=a, otherwise=b):
            yield from ways(a, tests | {test})
            yield from ways(b, tests | {negate(test)})


class Lookup(Struct, frozen=True):
    """How a handle, or the place of one, has been got: the same for the same `name` and `index`, if `sure`.

    `since`: since when objects of the library hold what they do.
    """

    name: str
    index: Term
    sure: bool
    since: Generation


class Result(Struct, frozen=True):
    """What a call that is not followed was given when it got a pointer: numbers and addresses.

    `stepped`: it gets one element of a container after the other in the iterations of the loop around it.
    """

    given: tuple[Term | Address, ...]
    stepped: bool


class Given(Struct, frozen=True):
    """What a call that is not followed gets in iterations of loops.

    `around`: it gets the next element of a container in each iteration of the innermost one, of all in these iterations
    of those around it; None: nothing of that kind is known.
    """

    values: tuple[Term | Address, ...]
    around: str | None
