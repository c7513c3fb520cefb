"""The mutations of `mutation_gate`: one rule of the analysis each, replaced by nothing or by something too strong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Mutation:
    """`rule` says what no longer holds; `tests` are what the tests of the rule are among, likeliest first."""

    name: str
    rule: str
    tests: tuple[str, ...]
    apply: Callable[[], None]


# ---------------------------------------------------------------- ways to change a rule


def put(path: str, value: object) -> Callable[[], None]:
    """Replaces `module:name` or `module:Class.name`."""

    def apply() -> None:
        module, _, name = path.partition(":")
        owner: Any = import_module(f"hgrd.{module}")
        *classes, last = name.split(".")
        for part in classes:
            owner = getattr(owner, part)
        if not hasattr(owner, last):
            raise AttributeError(path)
        setattr(owner, last, value)

    return apply


def gives(value: object, *paths: str) -> Callable[[], None]:
    """The functions give this value, whatever they are given."""
    return together(*(put(path, lambda *_, **__: value) for path in paths))


def together(*parts: Callable[[], None]) -> Callable[[], None]:
    def apply() -> None:
        for part in parts:
            part()

    return apply


def around(path: str, change: Callable[..., Any]) -> Callable[[], None]:
    """Replaces a function by `change(function, ...)`."""

    def apply() -> None:
        module, _, name = path.partition(":")
        owner: Any = import_module(f"hgrd.{module}")
        *classes, last = name.split(".")
        for part in classes:
            owner = getattr(owner, part)
        old = getattr(owner, last)
        setattr(owner, last, lambda *args, **options: change(old, *args, **options))

    return apply


def _nothing_presumed() -> None:
    from hgrd.source import compiler, presumptions

    compiler.presumed = lambda *_, **__: presumptions.NOTHING


# ---------------------------------------------------------------- the rules

_BARRIERS = ("tests/races/test_barriers.py", "tests/protocol", "tests/races/test_patterns.py", "tests/races")
_RACES = ("tests/races",)
_ORDER = ("tests/simulate/test_access_model.py", "tests/simulate/test_ordering.py", "tests/simulate")
_PRESUMED = ("tests/races/test_presumptions.py",)
_LOCKS = ("tests/races/test_locks.py", "tests/races/test_patterns.py", "tests/races")
_SOLVE = ("tests/solve",)


def barriers(levels: tuple[str, ...], scopes: tuple[str, ...], *, count: bool) -> Callable[[], None]:
    """Barriers of these scopes order (or no longer order) threads at these levels."""

    def apply() -> None:
        from hgrd.program.memory import Level
        from hgrd.protocol import passing
        from hgrd.protocol.model import Scope

        for level in (Level[name] for name in levels):
            chosen = {Scope[name] for name in scopes}
            known = passing._COUNTING[level]
            passing._COUNTING[level] = frozenset(known | chosen if count else known - chosen)

    return apply


_ALL = ("INTRA_WARP", "INTRA_BLOCK", "INTER_BLOCK")


def without_relation(name: str) -> Callable[[], None]:
    """The two are said to be unordered without the condition that this relation makes."""

    def change(old: Callable[..., Any], *args: Any) -> Any:
        return tuple(
            replace(order, relations=tuple(r for r in order.relations if type(r).__name__ != name))
            for order in old(*args)
        )

    return around("protocol.phases:Phases.unordered", change)


def never(name: str) -> Callable[[], None]:
    """What this relation describes is said not to happen."""

    def change(old: Callable[..., Any], *args: Any) -> Any:
        return tuple(o for o in old(*args) if all(type(r).__name__ != name for r in o.relations))

    return around("protocol.phases:Phases.unordered", change)


def without_facts(kind: str) -> Callable[[], None]:
    """Facts of this class are not used by any query."""

    def change(old: Callable[..., Any], facts: tuple[Any, ...], symbols: Any) -> Any:
        return old(tuple(f for f in facts if f.kind.name != kind), symbols)

    return together(around("races.queries:cone", change), around("races.ways:cone", change))


def without_lemmas(family: str) -> Callable[[], None]:
    def apply() -> None:
        from dataclasses import fields

        from hgrd.solve.lemmas import Lemmas

        Lemmas.__init__.__defaults__ = tuple(f.name != family for f in fields(Lemmas))

    return apply


def _without_broadcast(old: Callable[..., Any], poser: Any, pair: Any) -> Any:
    return old(replace(poser, protocol=replace(poser.protocol, broadcast={})), pair)


def _one_byte(old: Callable[..., Any], naming: Any, facts: Any, first: Any, second: Any, between: Any) -> Any:
    return old(naming, facts, (*first[:2], 1), (*second[:2], 1), between)


def _changing(old: Callable[..., Any], *args: Any) -> Any:
    from hgrd.program.memory import AccessKind

    access = old(*args)
    access.kind = AccessKind.ATOMIC
    return access


def _ignored(scope: str) -> Callable[..., Any]:
    def change(old: Callable[..., Any], ordering: Any, event: Any) -> None:
        if event.scope.name != scope:
            old(ordering, event)

    return change


def _everywhere(old: Callable[..., Any], ordering: Any, event: Any) -> None:
    from hgrd.protocol.model import Scope

    old(ordering, replace(event, scope=Scope.DEVICE))


def _no_partial(old: Callable[..., Any], ordering: Any, event: Any, unit: int, threads: Any) -> None:
    if len(threads) in (32, ordering.shape.threads_per_block):
        old(ordering, event, unit, threads)


def _written_as(kind: str) -> Callable[..., Any]:
    def change(old: Callable[..., Any], *args: Any) -> None:
        from hgrd.program.memory import AccessKind

        *rest, event = args
        old(*rest, replace(event, kind=AccessKind[kind]))

    return change


def _no_values(old: Callable[..., Any], model: Any, event: Any) -> None:
    old(model, replace(event, values=None))


def _unweighed(decision: Any, facts: int, method: str, known: Any, assumed: Any) -> Any:
    return decision._proved(facts, method)


def _alone_in_order(old: Callable[..., Any], ordering: Any, threads: Any, now: Any) -> Any:
    return now


def _any_read_looks(old: Callable[..., Any], ordering: Any, event: Any) -> Any:
    now = old(ordering, event)
    return ordering._looking(event.threads, now)


def _in_any_order(old: Callable[..., Any], a: Any, b: Any, configuration: Any, options: Any) -> Any:
    return old(a, b, configuration, replace(options, warp_lockstep=False))


def _any_scope(a: Any, b: Any, level: Any) -> bool:
    return a.kind.value == b.kind.value == "atomic"


def _plain_volatile(b: Any) -> Any:
    from hgrd.simulate.trace import Order

    return Order.PLAIN


FACTS = {
    "ASSERT": ("tests/races/test_assumptions.py", "tests/facts", "tests/host", "tests/races"),
    "GUARD": ("tests/facts", "tests/races", "tests/test_examples.py"),
    "DIMENSION": ("tests/races/test_barriers.py", "tests/races"),
    "RELATION": ("tests/facts", "tests/races", "tests/test_examples.py"),
    "LOOP_BOUND": ("tests/facts", "tests/races", "tests/test_examples.py"),
    "ALLOCATION": ("tests/facts", "tests/races", "tests/test_examples.py"),
    "CONSTANT": ("tests/facts", "tests/races", "tests/test_examples.py"),
    "OPTION": ("tests/races/test_options.py", "tests/cli", "tests/races"),
}
FAMILIES = ("radix", "pairs", "squares", "powers", "functions", "ends", "values")
RELATIONS = ("Same", "Ahead", "At", "Last", "Count", "Fails", "Holds", "Unnamed", "Apart")

MUTATIONS = (
    Mutation("barrier-block-off", "barriers of a block order nothing", _BARRIERS,
             barriers(_ALL, ("BLOCK",), count=False)),
    Mutation("barrier-warp-off", "barriers of a warp order nothing", _BARRIERS,
             barriers(_ALL, ("WARP",), count=False)),
    Mutation("barrier-grid-off", "barriers of the grid order nothing", _BARRIERS,
             barriers(_ALL, ("DEVICE", "SYSTEM"), count=False)),
    Mutation("barrier-block-too-wide", "barriers of a block order blocks", _BARRIERS,
             barriers(("INTER_BLOCK",), ("BLOCK",), count=True)),
    Mutation("barrier-warp-too-wide", "barriers of a warp order warps", _BARRIERS,
             barriers(("INTRA_BLOCK",), ("WARP",), count=True)),
    Mutation("barrier-condition-ignored", "barriers under a condition are always passed", _BARRIERS,
             gives([], "protocol.passing:Passing._unless")),
    Mutation("barrier-loop-always", "a loop passes its barriers in all iterations or in none", _BARRIERS,
             gives(True, "protocol.passing:Passing.steady")),
    *(Mutation(f"relation-{r.lower()}-off", f"two accesses are unordered without the relation {r}", _BARRIERS,
             without_relation(r)) for r in RELATIONS),
    *(Mutation(f"relation-{r.lower()}-never", f"there is no way to be unordered by {r}", _BARRIERS,
             never(r)) for r in RELATIONS),
    Mutation("uniform-never", "no condition is the same in all threads", _BARRIERS,
             gives(False, "races.pairs:Uniform.__call__")),
    Mutation("uniform-always", "every condition is the same in all threads", _BARRIERS,
             gives(True, "races.pairs:Uniform.__call__")),
    *(Mutation(f"facts-{k.lower().replace('_', '-')}-off",
             f"facts of the class {k.lower().replace('_', ' ')} are ignored", FACTS[k],
             without_facts(k)) for k in FACTS),
    *(Mutation(f"lemmas-{f}-off", f"no lemmas of the family {f}", _SOLVE, without_lemmas(f)) for f in FAMILIES),
    Mutation("wraps-off", "proofs on mathematical integers are not completed for wrap-around",
             (*_SOLVE, "tests/races/test_values.py"), put("solve.decide:_Decision._weighed", _unweighed)),
    Mutation("atomics-off", "two atomics race", ("tests/races/test_atomics.py",),
             gives(False, "races.pairs:_both_atomic")),
    Mutation("atomics-scope-ignored", "atomics of a block suffice between blocks", ("tests/races/test_atomics.py",),
             put("races.pairs:_both_atomic", _any_scope)),
    Mutation("overlap-of-elements", "accesses overlap in their first bytes only",
             ("tests/races/test_memory.py", "tests/races"), together(around("races.queries:query_of", _one_byte))),
    Mutation("tickets-off", "values of a counter are not different", ("tests/races/test_atomics.py", *_RACES),
             gives((), "races.tickets:Tickets.constraints")),
    Mutation("locks-off", "locks do not exclude", _LOCKS, gives((), "races.locks:Locks.constraints")),
    Mutation("locks-unchecked", "any write to a lock frees it", _LOCKS, gives(True, "races.locks:_gives_back")),
    Mutation("flags-off", "waiting for a flag orders nothing", _LOCKS, gives((), "races.flags:Flags.constraints")),
    Mutation("flags-any-writer", "a flag is believed whoever sets it", _LOCKS,
             gives(True, "races.flags:Flags._by_one")),
    Mutation("counters-off", "coming last orders nothing", _LOCKS, gives((), "races.counters:Counters.constraints")),
    Mutation("counters-anyone-last", "everyone comes last", _LOCKS,
             gives(True, "races.counters:_last", "races.counters:_complete")),
    Mutation("fence-scope-ignored", "fences of a block order blocks", _LOCKS,
             together(*(gives(True, f"races.{m}:at_least") for m in ("acquire", "locks", "flags", "counters")))),
    Mutation("fences-off", "no fence is seen", _LOCKS, gives((), "races.acquire:Handshakes._fences")),
    Mutation("signals-off", "a volatile flag and the loop that waits for it race", _LOCKS,
             gives(False, "races.communication:Communication.signals")),
    Mutation("signals-always", "whatever a flag is set and read by is no race", _LOCKS,
             gives(True, "races.acquire:Handshakes.polls")),
    Mutation("unclear-off", "waits that are not understood order nothing", _LOCKS,
             gives(None, "races.communication:Communication.unclear")),
    Mutation("agreement-off", "reads of one place do not agree", ("tests/races/test_agreement.py",),
             gives((), "races.agreement:Readings.constraints")),
    Mutation("agreement-always", "reads agree whatever is written between them", ("tests/races/test_agreement.py",),
             gives(False, "races.agreement:Readings._overwritten")),
    Mutation("contents-off", "values that the kernel computes may be anything",
             ("tests/races/test_contents.py", *_RACES), gives((), "races.contents:Contents.bearing_on")),
    Mutation("same-value-off", "two writes of the same value are a race", ("tests/races/test_values.py", *_RACES),
             put("races.judge:Judge._with_two_values", lambda self, pair, posed, answer: (posed, answer))),
    Mutation("same-value-always", "two writes have the same value", ("tests/races/test_values.py", *_RACES),
             gives(None, "races.judge:Judge._with_two_values")),
    Mutation("broadcast-off", "values that a block has read alike differ", ("tests/races/test_broadcast.py",),
             around("races.queries:Poser._naming", _without_broadcast)),
    Mutation("companions-off", "accesses do not bound each other",
             ("tests/races/test_extents.py", "tests/races/test_memory.py", *_RACES),
             gives((), "races.queries:Poser._companions")),
    Mutation("extents-off", "accesses may leave their objects", ("tests/races/test_extents.py", *_RACES),
             gives((), "races.extents:within")),
    Mutation("across-off", "nothing is known of a value in two threads",
             ("tests/races/test_specifications.py", *_RACES), gives((), "races.queries:across", "races.ways:across")),
    Mutation("endings-off", "loops end for no reason", ("tests/races/test_endings.py", *_RACES),
             gives(((), ()), "races.endings:Endings.needed")),
    Mutation("doubt-off", "what is not known is a race", ("tests/races/test_unknown.py", *_RACES),
             gives(None, "races.judge:Judge._doubt")),
    Mutation("conditions-off", "no race is conditional", ("tests/races/test_conditions.py",),
             gives("", "races.judge:precondition")),
    Mutation("presumptions-off", "the build is asked for nothing", _PRESUMED,
             _nothing_presumed),
    *(Mutation(f"presumptions-{name}-unchecked", f"what is presumed of {what} is not checked", _PRESUMED,
               gives(True, f"source.presumptions:{rule}"))
      for name, what, rule in (("switches", "macros", "_is_switch"), ("values", "values", "_always_a_number"),
                               ("lengths", "lengths", "_by_element"))),
    Mutation("lockstep-off", "--warp-lockstep does nothing",
             ("tests/races/test_options.py", "tests/races/test_barriers.py", *_RACES),
             around("races.judge:levels_of", _in_any_order)),
    Mutation("divergence-off", "no barrier is missed", ("tests/divergence",), gives((), "races.missing:Ways.all")),
    Mutation("divergence-branches-off", "no barrier is missed by a branch", ("tests/divergence",),
             gives((), "races.missing:Ways._by_branch")),
    Mutation("divergence-loops-off", "no barrier is missed by the number of iterations", ("tests/divergence",),
             gives((), "races.missing:Ways._by_loop")),
    Mutation("divergence-exits-off", "no barrier is missed by leaving", ("tests/divergence",),
             gives((), "races.missing:Ways._by_exit")),
    Mutation("divergence-masks-off", "every mask is right", ("tests/divergence",),
             gives((), "races.divergence:mask_ways")),
    Mutation("divergence-uniform-always", "all conditions are alike in a team", ("tests/divergence",),
             gives(True, "races.teams:Team.uniform")),
    Mutation("divergence-uniform-never", "no condition is alike in a team", ("tests/divergence", *_RACES),
             gives(False, "races.teams:Team.uniform")),
    *(Mutation(f"dynamic-{s.lower()}-barrier-off", f"in a run, barriers of scope {s} order nothing", _ORDER,
             around("simulate.ordering:Ordering.arrive", _ignored(s))) for s in ("WARP", "BLOCK", "DEVICE")),
    Mutation("dynamic-barrier-too-wide", "in a run, every barrier is one of the grid", _ORDER,
             around("simulate.ordering:Ordering.arrive", _everywhere)),
    Mutation("dynamic-partial-warps-off", "in a run, barriers of some lanes order nothing", _ORDER,
             around("simulate.ordering:Ordering._meet_warp", _no_partial)),
    *(Mutation(f"dynamic-{s.lower()}-fence-off", f"in a run, fences of scope {s} do nothing", _ORDER,
             around("simulate.ordering:Ordering.fenced", _ignored(s))) for s in ("BLOCK", "DEVICE")),
    Mutation("dynamic-fence-too-wide", "in a run, every fence is of the device", _ORDER,
             around("simulate.ordering:Ordering.fenced", _everywhere)),
    Mutation("dynamic-release-off", "in a run, stores release nothing", _ORDER,
             put("simulate.ordering:_RELEASING", ())),
    Mutation("dynamic-acquire-off", "in a run, loads acquire nothing", _ORDER,
             put("simulate.ordering:_ACQUIRING", ())),
    Mutation("dynamic-chains-off", "in a run, atomics do not hand on", _ORDER,
             around("simulate.ordering:Ordering._write", _written_as("WRITE"))),
    Mutation("dynamic-chains-always", "in a run, stores hand on", _ORDER,
             around("simulate.ordering:Ordering._write", _written_as("ATOMIC"))),
    Mutation("dynamic-pending-off", "in a run, a fence behind a read acquires nothing", _ORDER,
             gives(None, "simulate.ordering:Ordering._acquire_pending")),
    Mutation("dynamic-volatile-reads-off", "in a run, a volatile read behind a flag needs a fence", _ORDER,
             around("simulate.ordering:Ordering._looking", _alone_in_order)),
    Mutation("dynamic-volatile-reads-all", "in a run, nothing behind a flag needs a fence", _ORDER,
             around("simulate.ordering:Ordering.touch", _any_read_looks)),
    Mutation("dynamic-same-value-off", "in a run, writes of the same value are a race", _ORDER,
             around("simulate.access_model:AccessModel.touch", _no_values)),
    Mutation("dynamic-volatile-stores-plain", "the executor takes volatile stores for plain ones",
             ("tests/simulate/test_same_events.py",), put("simulate.evaluation:_order", _plain_volatile)),
    Mutation("dynamic-loads-change", "the executor takes loads of atomic objects for changes",
             ("tests/simulate/test_same_events.py",), around("simulate.lowering:Unit.atomic_access", _changing)),
)  # fmt: skip
