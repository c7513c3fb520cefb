"""Scheduler: runs groups of threads in lock-step, lowest place first, without starvation.

Threads that are at the same place of the same activation are one group, and all of it executes each
instruction at once (Collingbourne et al. 2013, section 5).  A branch splits a group; the part at the lowest
place runs until it meets the other.  A group that executes more iterations of a loop than the loop's patience while
others wait for it further on is overtaken by them, so that spinning threads see what they wait for: every
thread that can run is run again and again, as CUDA's independent thread scheduling promises (Programming
Guide, "SIMT Architecture").
"""

from __future__ import annotations

import numpy as np

from hgrd.program.span import Span
from hgrd.simulate.launch import StuckAtBarrier
from hgrd.simulate.lockstep.access import pass_argument
from hgrd.simulate.lockstep.arithmetic import Value, uniform
from hgrd.simulate.lockstep.barriers import DivergenceError, divergence, go_on, release
from hgrd.simulate.lockstep.instructions import (
    Activation,
    BarrierWatch,
    Batch,
    Branch,
    Code,
    Do,
    Instruction,
    Invoke,
    InvokeIndirect,
    Jump,
    Meet,
    Return,
    ThreadGroup,
    UnsupportedError,
)
from hgrd.simulate.lockstep.lanes import Lanes, VariableSlot
from hgrd.simulate.lockstep.memory import Home

_DEPTH = 200  # activations of functions inside each other
_STEP = 256  # the fuel that a step costs at least


class FuelError(Exception):
    """The run has taken too long."""

    def __init__(self, span: Span) -> None:
        super().__init__(str(span))
        self.span = span


class Scheduler:
    """Runs one batch of blocks.  `fuel` is in thread-statements, a step counting as 256 at least."""

    def __init__(self, batch: Batch, fuel: int) -> None:
        self.batch = batch
        self.fuel = fuel
        self.statements = 0
        self.groups: list[ThreadGroup] = []
        self.activations = 0
        self.impatient: set[int] = set()  # back edges where threads have been overtaken before

    def run(self, kernel: Code, arguments: list[object], ahead: int | None = None) -> StuckAtBarrier | None:
        """Executes the kernel to its end (None), or to a barrier that not all threads reach; thread `ahead` goes first.

        Raises FuelError, UnsupportedError, TrapError.
        """
        count = self.batch.threads
        lanes = Lanes(None, count, np.arange(count, dtype=np.int64))
        frame = self._frame(kernel, lanes, ())
        group = ThreadGroup(self.batch, frame, lanes)
        self._pass(group, kernel, arguments)
        self.groups = [group]
        if ahead is not None and count > 1:
            group.lanes, rest = lanes.split(lanes.threads == ahead)
            group.ahead = True
            self.groups.append(ThreadGroup(self.batch, frame, rest, overtaken=1))
        try:
            return self._run()
        except DivergenceError as error:
            return error.found

    def _run(self) -> StuckAtBarrier | None:
        while self.groups:
            ready = [g for g in self.groups if not g.waiting]
            if not ready:
                if not self._release():
                    if self.batch.watch is None:
                        return divergence(self.batch, self.groups)
                    self._let_go(self.batch.watch)
                continue
            self._schedule(ready)
        return None

    # ------------------------------------------------------------ scheduling

    def _schedule(self, ready: list[ThreadGroup]) -> None:
        """Runs the group that is next, for a while."""
        if len(ready) == 1:
            self._advance(ready[0], -1, alone=True)
            return
        group = min(ready, key=_turn)
        rest = [g for g in self.groups if g is not group]
        place = group.place
        for other in rest:
            same = other.frame is group.frame and other.pc == group.pc and not other.waiting
            if same and not (group.ahead or other.ahead):
                group.lanes = group.lanes.join(other.lanes)
                group.rounds = 0
                self.groups.remove(other)
                return
        limit = min((g.pc for g in ready if g.frame is group.frame and g.pc > group.pc), default=-1)
        outer = [
            g.place for g in ready if g is not group and g.frame is not group.frame and g.overtaken <= group.overtaken
        ]
        for other in outer:
            depth = len(place) - 1
            if other[:depth] == place[:depth] and len(other) > depth and other[depth] >= group.pc:
                limit = other[depth] + 1 if limit < 0 else min(limit, other[depth] + 1)
        self._advance(group, limit, alone=False)

    def _advance(self, group: ThreadGroup, limit: int, *, alone: bool) -> None:
        """Runs a group until it comes to `limit` (-1: none), splits, waits, ends or is overtaken."""
        code = group.frame.code.instructions
        while True:
            instruction = code[group.pc]
            match instruction:
                case Do():
                    self._pay(group, instruction.weight, instruction.span)
                    instruction.run(group)
                    group.pc += 1
                case Branch():
                    if self._branch(group, instruction):
                        return
                case Jump():
                    back = instruction.target <= group.pc
                    group.pc = instruction.target
                    if back:
                        self._pay(group, 0, instruction.span)
                        if not alone and self._is_overtaken(group, instruction):
                            return
                case _:
                    self._leave_line(group, instruction)
                    return
            if 0 <= limit <= group.pc:
                return

    def _is_overtaken(self, group: ThreadGroup, edge: Jump) -> bool:
        group.rounds += 1
        if group.rounds <= (1 if id(edge) in self.impatient else edge.patience):
            return False
        self.impatient.add(id(edge))
        group.rounds = 0
        group.overtaken += 1
        return True

    def _pay(self, group: ThreadGroup, weight: int, span: Span) -> None:
        count = group.lanes.count
        self.statements += count * weight
        self.fuel -= count if count > _STEP else _STEP
        if self.fuel < 0:
            raise FuelError(span)

    def _branch(self, group: ThreadGroup, branch: Branch) -> bool:
        """Whether the group has been split."""
        self._pay(group, branch.weight, branch.span)
        condition: Value = branch.condition(group)
        if uniform(condition):
            group.pc = group.pc + 1 if condition else branch.otherwise
            return False
        if condition.all():
            group.pc += 1
            return False
        if not condition.any():
            group.pc = branch.otherwise
            return False
        lanes = group.lanes
        there, elsewhere = lanes.split(condition)
        group.lanes = there
        self.groups.append(ThreadGroup(self.batch, group.frame, elsewhere, branch.otherwise, overtaken=group.overtaken))
        group.pc += 1
        return True

    def _leave_line(self, group: ThreadGroup, instruction: Instruction) -> None:
        match instruction:
            case Invoke(callee=callee, arguments=arguments, result=result):
                self._enter(group, callee, [a(group) for a in arguments], result, instruction.span)
            case InvokeIndirect():
                self._enter_indirect(group, instruction)
            case Return():
                self._return(group, instruction)
            case Meet():
                self._arrive(group, instruction)
            case _:
                raise AssertionError(instruction)

    # ------------------------------------------------------------ calls

    def _frame(self, code: Code, lanes: Lanes, place: tuple[int, ...]) -> Activation:
        slots = [VariableSlot(kind.dtype, lanes.count, kind.width) for kind in code.slots]
        memory, threads = self.batch.memory, self.batch.threads
        objects = [memory.place_copies(name, Home.LOCAL, size, threads).number for name, size in code.objects]
        return Activation(code, lanes, slots, objects, place, left=lanes.count)

    def _pass(self, group: ThreadGroup, code: Code, arguments: list[object]) -> None:
        for parameter, value in zip(code.parameters, arguments, strict=False):
            pass_argument(group, parameter, value)

    def _enter(self, group: ThreadGroup, callee: Code, arguments: list[object], result: int | None, span: Span) -> None:
        if len(group.frame.place) >= 2 * _DEPTH:
            raise UnsupportedError(f"recursion deeper than {_DEPTH} calls", span)
        self.activations += 1
        lanes = Lanes(None, group.lanes.count, group.lanes.threads, derived=group.lanes.derived)
        frame = self._frame(callee, lanes, (*group.place, self.activations))
        frame.caller, frame.caller_lanes, frame.return_to, frame.result = group.frame, group.lanes, group.pc + 1, result
        group.frame, group.lanes, group.pc = frame, lanes, 0
        self._pass(group, callee, arguments)

    def _enter_indirect(self, group: ThreadGroup, instruction: InvokeIndirect) -> None:
        target: Value = instruction.callee(group)
        if not uniform(target):
            first = target == target[0]
            if not first.all():
                there, elsewhere = group.lanes.split(first)
                group.lanes = there
                self.groups.append(ThreadGroup(self.batch, group.frame, elsewhere, group.pc, overtaken=group.overtaken))
                self._separate(group, instruction, int(target[0]))
                return
            target = target[0]
        self._separate(group, instruction, int(target))

    def _separate(self, group: ThreadGroup, instruction: InvokeIndirect, target: int) -> None:
        functions = self.batch.functions
        if not 1 <= target <= len(functions):
            raise UnsupportedError("a call through a pointer to no function", instruction.span)
        called = functions[target - 1]
        if called is None:
            raise UnsupportedError("a call through a pointer to a function without a body", instruction.span)
        values = [a(group) for a in instruction.arguments]
        self._enter(group, called, values, instruction.result, instruction.span)

    def _return(self, group: ThreadGroup, instruction: Return) -> None:
        self._pay(group, instruction.weight, instruction.span)
        frame = group.frame
        value = None if instruction.value is None else instruction.value(group)
        caller, outer = frame.caller, frame.caller_lanes
        frame.left -= group.lanes.count
        if frame.left == 0:
            for number in frame.objects:
                self.batch.memory.release(number)
        if caller is None or outer is None:
            self.batch.live[group.lanes.threads] = False
            self.groups.remove(group)
            return
        inner = group.lanes
        group.frame, group.pc = caller, frame.return_to
        group.lanes = outer if inner.index is None else outer.at(inner.index)
        if frame.result is not None and value is not None:
            caller.slots[frame.result].store(group.lanes, value)

    # ------------------------------------------------------------ barriers

    def _arrive(self, group: ThreadGroup, instruction: Meet) -> None:
        self._pay(group, 1 if instruction.orders else 0, instruction.span)
        same = next((g for g in self.groups if g.waiting and g.frame is group.frame and g.pc == group.pc), None)
        if same is not None:
            group.lanes = group.lanes.join(same.lanes)
            self.groups.remove(same)
        group.waiting, group.ahead = True, False
        if self.batch.watch is not None:
            self.batch.watch.come(group, instruction)
        release(self.batch, self.groups, instruction)

    def _release(self) -> bool:
        """Releases threads that need not wait any more; whether there were any."""
        met = {id(i): i for g in self.groups for i in [g.frame.code.instructions[g.pc]] if isinstance(i, Meet)}
        released = [release(self.batch, self.groups, instruction) for instruction in met.values()]
        return any(released)

    def _let_go(self, watch: BarrierWatch) -> None:
        """Releases the threads that wait at the lowest place, as if the others had come, when no thread can run."""
        group = min(self.groups, key=lambda g: g.place)
        barrier = group.frame.code.instructions[group.pc]
        assert isinstance(barrier, Meet)
        watch.stuck()
        go_on([group], barrier, 1)


def _turn(group: ThreadGroup) -> tuple[int, tuple[int, ...]]:
    return group.overtaken, group.place
