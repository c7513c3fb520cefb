"""First iterations: what a variable holds there is known, whatever the loop makes of it later.

    slot = hash(key); while (true) { … table[slot] … slot = next(slot); }

Two threads that meet in the first iterations of such loops meet without values that are not known.  And two that meet
there with another value do not meet at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from hgrd.host.model import Fact
from hgrd.protocol.phases.parallelism import Side
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.plausibility.reachability import with_condition
from hgrd.solve.query import Model
from hgrd.terms import EvaluationError, Op, Origin, Symbol, Term, conj, evaluate, negate, symbols_of
from hgrd.terms.rewrite import arrays_of


def in_first_iterations(encoded: EncodedPair, facts: tuple[Fact, ...]) -> Iterator[EncodedPair]:
    """The query of a pair in those first iterations that give its unknown values; none if there are no such ones."""
    told = tuple(_bearing(dict.fromkeys(_beginnings(encoded)), {*encoded.unknown}))
    if not told:
        return
    first = tuple(negate(t) for b in told for t in _otherwise(b))
    told = _of_known_values(told)
    limited = with_condition(encoded, conj(*told, *first), facts)
    yield replace(limited, told=told, data=encoded.data or _of_contents(told))


def with_first_values(encoded: EncodedPair, model: Model, facts: tuple[Fact, ...]) -> EncodedPair | None:
    """The query with what variables hold in first iterations, where a model has other values; None: it has not.

    Tests of such variables that the query leaves out, since some contents of memory pass them, are in it then.  What is
    not known is left: no conflict that needs it is sure.
    """
    left = [t for t in _beginnings(encoded) if not _holds(t, model)]
    left = [t for t in left if all(s.origin is not Origin.UNKNOWN for s in _variables(t))]
    asked = dict.fromkeys(t for t in left if _variables(t) & model.values.keys())
    passed = symbols_of(*encoded.passed)
    told = tuple(asked | dict.fromkeys(t for t in left if _variables(t) & passed and not _of_contents(_values(t))))
    if not told:
        return None
    variables = frozenset[Symbol]().union(*map(_variables, told))
    tested = tuple(t for t in encoded.passed if symbols_of(t) & variables)
    limited = with_condition(encoded, conj(*told, *tested), facts)
    rest = tuple(t for t in encoded.passed if t not in tested)
    contents = encoded.data or any(_of_contents(_values(t)) for t in told)
    return replace(limited, passed=rest, told=(*encoded.told, *told), data=contents)


def _beginnings(encoded: EncodedPair) -> list[Term]:
    parts = ((Side.FIRST, encoded.first), (Side.SECOND, encoded.second))
    return [t for side, access in parts for t in encoded.threads.of(access.beginnings, side)]


def _cases(beginning: Term) -> tuple[Term, ...]:
    """The ways in which a beginning can hold: that it is not the first iteration, or the first value."""
    return beginning.args if beginning.op is Op.OR else (beginning,)


def _variables(beginning: Term) -> frozenset[Symbol]:
    """What a beginning gives the first value of: `i != 0 || variable == value`."""
    return symbols_of(*(case.args[0] for case in _cases(beginning) if case.op is Op.EQ))


def _values(beginning: Term) -> tuple[Term, ...]:
    """The first value that a beginning gives."""
    return tuple(case.args[1] for case in _cases(beginning) if case.op is Op.EQ)


def _of_contents(terms: tuple[Term, ...]) -> bool:
    """Whether the terms depend on what memory holds."""
    return bool(arrays_of(*terms)) or any(s.origin in (Origin.DATA, Origin.COMPUTED) for s in symbols_of(*terms))


def _holds(beginning: Term, model: Model) -> bool:
    """Whether a beginning holds with the values of a model, whatever those are that it lacks."""
    for case in _cases(beginning):
        try:
            if symbols_of(case) <= model.values.keys() and evaluate((case,), model.values, model.contents)[0]:
                return True
        except EvaluationError:
            pass
    return False


def _bearing(said: dict[Term, None], unknown: set[str]) -> Iterator[Term]:
    """What is said of the values that are not known, and of those that it depends on."""
    found: dict[Term, None] = {}
    while more := [t for t in said if t not in found and any(s.name in unknown for s in symbols_of(t))]:
        found |= dict.fromkeys(more)
        unknown |= {s.name for t in more for s in symbols_of(t) if s.origin is Origin.UNKNOWN}
    return iter(found)


def _of_known_values(told: tuple[Term, ...]) -> tuple[Term, ...]:
    """The beginnings but for those that give a value that is not known, either: of a variable before it is set."""
    variables = frozenset[Symbol]().union(*map(_variables, told))
    known = tuple(t for t in told if all(s in variables for s in symbols_of(*_values(t)) if s.origin is Origin.UNKNOWN))
    return known if known == told else _of_known_values(known)


def _otherwise(beginning: Term) -> tuple[Term, ...]:
    """The conditions under which a variable holds something else: that it is not the first iteration."""
    return tuple(t for t in _cases(beginning) if not any(s.origin is Origin.UNKNOWN for s in symbols_of(t)))
