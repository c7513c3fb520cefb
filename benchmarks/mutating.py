"""DivergencePaths to change a rule of the analysis, for the mutations of `mutation_gate`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from msgspec.structs import replace


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


def contradicted(_: Callable[..., Any]) -> Callable[..., Any]:
    """Says what never holds."""
    from hgrd.terms import FALSE

    return lambda *_, **__: (FALSE,)


def all_vote(own_bit: Any, mask: Any, symbol: Any) -> Any:
    """Every lane's predicate is true."""
    from hgrd.terms import TRUE

    return own_bit(replace(mask, own=TRUE), symbol)


def nothing_exchanged(values: Any, *arguments: Any) -> Any:
    """No value is made by several threads together."""
    return replace(values(*arguments), exchanged=frozenset())


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
    from hgrd.source.clang import run as compiler
    from hgrd.source.text import missing_macros

    compiler.presumed = lambda *_, **__: missing_macros.NOTHING


# ---------------------------------------------------------------- changes


def barriers(levels: tuple[str, ...], scopes: tuple[str, ...], *, count: bool) -> Callable[[], None]:
    """Barriers of these scopes order (or no longer order) threads at these levels."""

    def apply() -> None:
        from hgrd.cuda.memory_model import Level, Scope
        from hgrd.protocol.phases import barrier_bypass as passing

        known = {level: frozenset(s for s in Scope if passing.orders(s, level)) for level in Level}
        passing.orders = lambda scope, level: scope in known[level]
        for level in (Level[name] for name in levels):
            chosen = {Scope[name] for name in scopes}
            known[level] = frozenset(known[level] | chosen if count else known[level] - chosen)

    return apply


def covering(scope: str, *levels: str) -> Callable[[], None]:
    """The scope covers these levels."""

    def apply() -> None:
        from hgrd.cuda import memory_model

        memory_model._COVERED[memory_model.Scope[scope]] = frozenset(memory_model.Level[name] for name in levels)

    return apply


def not_known(kind: str) -> Callable[[], None]:
    """In protocols, device functions of a kind are unknown functions."""

    def apply() -> None:
        from hgrd.cuda.builtins import Kind
        from hgrd.protocol.device_calls.dispatch import MEANINGS

        del MEANINGS[Kind[kind]]

    return apply


def builtin_rows(change: Callable[[Any], Any], *kinds: str) -> Callable[[], None]:
    """Changes the rows of device functions of these kinds; those that become None are removed."""

    def apply() -> None:
        from hgrd.cuda import builtins

        for name, row in list(builtins.BUILTINS.items()):
            if row.kind.name in kinds:
                del builtins.BUILTINS[name]
                if (changed := change(row)) is not None:
                    builtins.BUILTINS[name] = changed
        builtins.builtin.cache_clear()

    return apply


ALL = ("INTRA_WARP", "INTRA_BLOCK", "INTER_BLOCK")


def without_relation(name: str) -> Callable[[], None]:
    """The two are said to be unordered without the condition that this relation makes."""

    def change(old: Callable[..., Any], *args: Any) -> Any:
        return tuple(
            replace(order, relations=tuple(r for r in order.relations if type(r).__name__ != name))
            for order in old(*args)
        )

    return around("protocol.phases.phases:Phases.may_happen_in_parallel", change)


def never(name: str) -> Callable[[], None]:
    """What this relation describes is said not to happen."""

    def change(old: Callable[..., Any], *args: Any) -> Any:
        return tuple(o for o in old(*args) if all(type(r).__name__ != name for r in o.relations))

    return around("protocol.phases.phases:Phases.may_happen_in_parallel", change)


def without_facts(kind: str) -> Callable[[], None]:
    """Facts of this class are not used by any query."""

    def change(old: Callable[..., Any], facts: tuple[Any, ...], symbols: Any) -> Any:
        return old(tuple(f for f in facts if f.kind.name != kind), symbols)

    modules = ("query_assembly", "pair_query", "path_query")
    return together(*(around(f"races.encoding.{module}:cone", change) for module in modules))


def without_lemmas(family: str) -> Callable[[], None]:
    """No lemma of this family is added."""

    def change(old: Callable[..., Any], normal: Any, on: Any, *more: Any) -> Any:
        return old(normal, replace(on, **{family: False}), *more)

    steps = ("first_lemmas", "last_lemmas", "value_lemmas")
    return together(*(around(f"solve.steps.refute:{step}", change) for step in steps))


def one_byte(old: Callable[..., Any], naming: Any, facts: Any, first: Any, second: Any, between: Any) -> Any:
    return old(naming, facts, (*first[:2], 1), (*second[:2], 1), between)


def changing(old: Callable[..., Any], *args: Any) -> Any:
    from hgrd.cuda.memory_model import AccessKind

    access = old(*args)
    access.kind = AccessKind.ATOMIC
    return access


def until_it_succeeds(_: Callable[..., Any], *__: Any, succeeds: bool = False) -> bool:
    return not succeeds


def whatever_it_counts(old: Callable[..., Any], rings: Any, here: Any, _: str) -> Any:
    return old(rings, here, "")


def in_first_arm(store: Callable[..., Any], machine: Any, state: Any, condition: Any, arms: Any, *others: Any) -> Any:
    return store(machine, state, condition, (arms[0], arms[0]), *others)


def first_of_all(old: Callable[..., Any], *args: Any) -> Any:
    found = old(*args)
    return found and type(found)(found.firsts[:1])


def first_leads(_: Callable[..., Any], device: Any, machine: Any, call: Any, group: Any) -> Any:
    from hgrd.protocol.device_calls.group_ranks import rank
    from hgrd.terms import const, eq

    return eq(rank(device, group, "thread_rank"), const(0))


def ignored(scope: str) -> Callable[..., Any]:
    def change(old: Callable[..., Any], ordering: Any, event: Any) -> None:
        if event.scope.name != scope:
            old(ordering, event)

    return change


def everywhere(old: Callable[..., Any], ordering: Any, event: Any) -> None:
    from hgrd.cuda.memory_model import Scope

    old(ordering, replace(event, scope=Scope.DEVICE))


def no_partial(old: Callable[..., Any], ordering: Any, event: Any, unit: int, threads: Any) -> None:
    if len(threads) in (32, ordering.shape.threads_per_block):
        old(ordering, event, unit, threads)


def written_as(kind: str) -> Callable[..., Any]:
    def change(old: Callable[..., Any], *args: Any) -> None:
        from hgrd.cuda.memory_model import AccessKind

        *rest, event = args
        old(*rest, replace(event, kind=AccessKind[kind]))

    return change


def no_values(old: Callable[..., Any], model: Any, event: Any) -> None:
    old(model, replace(event, values=None))


def unweighed(decision: Any, facts: int, method: str, known: Any, assumed: Any) -> Any:
    return decision._proved(facts, method)


def alone_in_order(old: Callable[..., Any], ordering: Any, threads: Any, now: Any) -> Any:
    return now


def any_read_looks(old: Callable[..., Any], ordering: Any, event: Any) -> Any:
    now = old(ordering, event)
    return ordering._looking(event.threads, now)


def in_any_order(old: Callable[..., Any], a: Any, b: Any, configuration: Any, options: Any) -> Any:
    return old(a, b, configuration, replace(options, warp_lockstep=False))


def any_scope(a: Any, b: Any, level: Any) -> bool:
    return a.kind.value == b.kind.value == "atomic"


def plain_volatile(b: Any) -> Any:
    from hgrd.simulate.trace import MemoryOrder

    return MemoryOrder.PLAIN


def always_without(kind: str) -> Callable[[], None]:
    """Launches are analysed as if the host did not establish what facts of this class say."""

    def change(old: Callable[..., Any], site: Any, classes: Any, names: Any) -> Any:
        from hgrd.host.model import FactKind

        return old(site, classes | {FactKind[kind]}, names)

    return around("engine.analysis.launch_protocol:without", change)


def no_gap(old: Callable[..., Any], item: Any, level: Any) -> bool:
    return type(item).__name__ != "Gap" and old(item, level)


def nothing_lost(old: Callable[..., Any], phases: Any, *args: Any) -> Any:
    return old(replace(phases, lost=()), *args)


def no_mask_in_doubt(old: Callable[..., Any], passing: Any, mask: Any) -> Any:
    from hgrd.protocol.phases.barrier_bypass import MASK

    return [order for order in old(passing, mask) if order.doubt != MASK]


def same_pair(pair: Any) -> Any:
    return pair


def only_behind(old: Callable[..., Any], self: Any, first: Any, last: Any, known: Any) -> Any:
    from hgrd.races.acquire_release.program_order import certain

    return (spot for spot in old(self, first, last, known) if certain(spot, last))


def any_two_reads(protocol: Any) -> Any:
    from hgrd.protocol.model import accesses

    found = accesses(protocol.items)
    for i, a in enumerate(found):
        yield from ((a, b) for b in found[i:] if a.target.key == b.target.key)


def all_global(old: Callable[..., Any], a: Any, b: Any, configuration: Any, options: Any) -> Any:
    from hgrd.cuda.memory_model import Space

    return old(*(replace(x, space=Space.GLOBAL) for x in (a, b)), configuration, options)


def last_as_it_is(walk: Any, loop: Any, place: Any, last: Any) -> Any:
    return last


def goes_on(walk: Any, loop: Any, place: Any) -> Any:
    from hgrd.protocol.phases.parallelism import ParallelCase

    return [ParallelCase()]


def no_past(*_: Any) -> Any:
    from hgrd.races.divergence.earlier_iterations import History

    return History(None, True)


def widest(*_: Any) -> Any:
    from hgrd.cuda.memory_model import Scope

    return Scope.SYSTEM


def stuck(*_: Any, **__: Any) -> Any:
    from hgrd.solve.steps.refute import Stuck

    return Stuck("switched off")


def seen_always(*_: Any) -> None:
    from hgrd.simulate.replay.barrier_watch import SeenError

    raise SeenError


def not_forced(old: Callable[..., Any], watch: Any) -> None:
    old(watch)
    watch.forced = False


def at_every_level(old: Callable[..., Any], attempt: Any, finding: Any, evidence: Any, deadline: float) -> Any:
    others = (level for level in type(evidence.level) if level is not evidence.level)
    tried = (old(attempt, finding, replace(evidence, level=x), deadline) for x in (evidence.level, *others))
    return next((said for said in tried if said == "confirmed"), "")


def true(*_: Any) -> Any:
    from hgrd.terms import TRUE

    return TRUE


def with_the_same_unknowns(step: Any, term: Any) -> Any:
    return step.next(term)


def with_one_before(_step: Any, _stored: Any, fill: Any, _value: Any) -> Any:
    from hgrd.symbolic.loops.filled_elements import _longer

    return _longer(fill)


def false(*_: Any) -> Any:
    from hgrd.terms import FALSE

    return FALSE


def reached(*_: Any) -> Any:
    from hgrd.races.plausibility.reachability import Reach

    return Reach()


def undropped(functions: Any, globals_: Any, *_: Any) -> Any:
    return functions, globals_


def the_arguments(_: Any, path: Any, arguments: Any) -> Any:
    return tuple(arguments)


def the_value(_: Any, state: Any, value: Any, before: Any) -> Any:
    return value


def itself(value: Any, *_: Any) -> Any:
    return value


def only_the_value(whole: object, value: object, field: object, width: int) -> object:
    return value


def not_locked(_: Callable[..., Any], _call: Any, _value: Any, touch: Any) -> Any:
    return replace(touch, locked=False)
