"""Collects protocol items in program order while the machine runs a kernel."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hgrd.program.span import Span
from hgrd.protocol.model import Access, Gap, Item, ProtocolLoop
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.state import ConditionKind, State
from hgrd.terms import Symbol, Term

_BESIDES = frozenset({ConditionKind.BOUNDS, ConditionKind.ENDED, ConditionKind.FIRST})


@dataclass(slots=True)
class _OpenLoop:
    binder: Symbol
    guards: tuple[Term, ...]
    span: Span
    tests: tuple[Term, ...] | None = None


@dataclass(slots=True)
class Recorder:
    """`open` is a stack of item lists: the innermost loop's is last."""

    open: list[list[Item]] = field(default_factory=lambda: [[]])
    loops: list[_OpenLoop] = field(default_factory=list[_OpenLoop])
    gaps: list[Gap] = field(default_factory=list[Gap])
    count: int = 0

    def add(self, machine: Machine, item: Item) -> None:
        if machine.probing:
            return
        if isinstance(item, Access):
            item = replace(item, number=self.count)
            self.count += 1
        self.open[-1].append(item)

    def gap(self, machine: Machine, state: State, reason: str, span: Span, *, may_order: bool = True) -> None:
        if not machine.probing and not any(g.span == span and g.reason == reason for g in self.gaps):
            self.gaps.append(Gap(reason, guards_of(state), span, may_order))

    def enter(self, machine: Machine, binder: Symbol, state: State, span: Span) -> None:
        if not machine.probing:
            self.open.append([])
            self.loops.append(_OpenLoop(binder, guards_of(state), span))

    def begin_body(self, machine: Machine, state: State) -> None:
        if not machine.probing and self.loops and self.loops[-1].tests is None:
            self.loops[-1].tests = tuple(g for g in guards_of(state) if g not in self.loops[-1].guards)

    def leave(self, machine: Machine, binder: Symbol, count: Symbol, breaks: list[State]) -> None:
        if machine.probing:
            return
        items = self.open.pop()
        opened = self.loops.pop()
        assert opened.binder == binder
        if items:
            left = tuple(barrier_guards(s) for s in breaks if s.alive)
            loop = ProtocolLoop(binder, count, opened.guards, opened.tests or (), tuple(items), opened.span, left)
            self.open[-1].append(loop)


def guards_of(state: State) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(c.term for c in state.path if c.kind not in _BESIDES))


def conditions_of(state: State, kind: ConditionKind) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(c.term for c in state.path if c.kind is kind))


def barrier_guards(state: State) -> tuple[Term, ...]:
    """Conditions under which a barrier is reached, as far as the program chose them."""
    return tuple(dict.fromkeys(c.term for c in state.path if not c.incidental))
