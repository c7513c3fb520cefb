"""Grids as work on the device: what a kernel may touch by its arguments, and by name."""

from __future__ import annotations

from hgrd.host.concurrency.trace import Place, Touch, Work, choices_of, pointers_of
from hgrd.host.execution.run_state import HostRunState
from hgrd.host.linking.sweeping_kernels import Use, named_by, uses_of
from hgrd.program.expressions import FunctionRef
from hgrd.program.span import Span
from hgrd.symbolic.state import State
from hgrd.symbolic.values import Composite, FloatValue, NullValue, Value, pointed_to
from hgrd.terms import Term, as_int, const


def trace_grid(
    run: HostRunState,
    state: State,
    kernel: FunctionRef,
    arguments: tuple[Value, ...],
    stream: Value | None,
    span: Span,
    *,
    captured: bool,
) -> None:
    """Adds the grid of a launch to what the run puts on the device."""
    touches = (*_by_arguments(run, kernel, arguments), *_by_name(run, kernel))
    work = Work(
        f"kernel '{kernel.name}'",
        kernel.key,
        span,
        run.trace.address_of(stream),
        run.trace.device,
        touches,
        tuple(_number(v) for v in arguments if _counts(v)),
        choices_of(state),
        captured=captured,
    )
    run.trace.add(work)


def _by_arguments(run: HostRunState, kernel: FunctionRef, arguments: tuple[Value, ...]) -> list[Touch]:
    function, written = run.linked.functions.get(kernel.key), run.text.mod_sets.of(kernel.key)
    uses, stored = () if function is None else uses_of(function), run.text.mod_sets.stored(kernel.key)
    found: list[Touch] = []
    for index, argument in enumerate(arguments):
        writes = written is None or index in written
        use = uses[index] if index < len(uses) and not isinstance(argument, Composite) else Use()
        for pointer in pointers_of(argument):
            run.trace.names |= {t.key: t.name for t in pointed_to(pointer)}
            stores = use.stores or (index in stored and not isinstance(argument, Composite))
            found.append(Touch(run.trace.address_of(pointer), writes, use.reads, writes and stores, use.sweeps))
    return found


def _by_name(run: HostRunState, kernel: FunctionRef) -> list[Touch]:
    effects = run.text.mod_sets
    changed = effects.by_name(kernel.key) | effects.passed_on(kernel.key)
    known = sorted(named_by(kernel.key, run.linked.functions), key=lambda v: v.key)
    run.trace.names |= {v.key: v.name for v in known}
    return [Touch(Place(v.key, const(0)), v in changed) for v in known]


def _counts(value: Value) -> bool:
    """Whether a value may say which elements a kernel uses, besides pointers."""
    return not isinstance(value, FloatValue | NullValue) and not any(True for _ in pointed_to(value))


def _number(value: Value) -> Term | None:
    return as_int(value) if isinstance(value, Term) else None
