"""Early accesses: what a kernel uses before it waits for the kernels before it in its stream.

float a = x[i];  cudaGridDependencySynchronize();  y[i] = a;        // x

(CUDA Programming Guide, "Programmatic Dependent Launch and Synchronization"; PTX ISA, "griddepcontrol".)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from hgrd.cuda.atomics import atomic_function
from hgrd.cuda.builtins import Kind, kind_of
from hgrd.host.linking.kernel_accesses import member_of
from hgrd.program import expressions as ir
from hgrd.program import statements as st
from hgrd.program.expressions import Storage, Variable
from hgrd.program.program import Function
from hgrd.program.types import BoolType, FloatType, IntType, VoidType
from hgrd.program.walk import nodes

_WAIT: Final = "cudaGridDependencySynchronize"
_READ_ONLY: Final = "__ldg"  # it reads what no kernel writes while it is read
_SHARED: Final = (Storage.DEVICE, Storage.CONSTANT)


def used_before_wait(kernel: Function) -> frozenset[Variable] | None:
    """The parameters through which a kernel may access memory before it waits, and variables; None: any."""
    body = kernel.body
    found: set[Variable] = set()
    for statement in body.body if isinstance(body, st.Block) else ():
        if _waits(statement):
            return frozenset(found)
        for node in nodes(statement):
            used = _used(node)
            if used is None:
                return None
            found.update(used)
    return None


def may_wait_for_others(functions: Iterable[Function]) -> bool:
    """Whether the functions that a kernel runs may wait for what other work does, as for a flag in memory.

    That takes a loop with an atomic or volatile access whose result is used, or a function of which nothing is known
    and which gets more than numbers.
    """
    everything = [n for function in functions for n in nodes(function.body)]
    loops = any(isinstance(n, st.Loop | st.DoWhile | st.Goto) for n in everything)
    unused = {id(n.expression) for n in everything if isinstance(n, st.Evaluate)}
    return any(_may_wait(n, loops=loops) for n in everything if not (id(n) in unused and _is_update(n)))


def _is_update(node: object) -> bool:
    return isinstance(node, ir.Call) and atomic_function(node.function.name) is not None


def _may_wait(node: object, *, loops: bool) -> bool:
    match node:
        case ir.Call(function=function, arguments=arguments, type=type_) if not function.user_code:
            match kind_of(function.name):
                case None:
                    values = (type_, *(a.type for a in arguments))
                    of_numbers = all(isinstance(t, IntType | FloatType | BoolType | VoidType) for t in values)
                    return not of_numbers and (loops or atomic_function(function.name) is None)
                case Kind.LOAD:
                    return loops and function.name != _READ_ONLY
                case _:
                    return False
        case ir.Load(volatile=volatile) | ir.Update(volatile=volatile):
            return loops and volatile
        case ir.IndirectCall() | ir.Unsupported() | st.UnsupportedStatement() | st.Assembly():
            return True
        case _:
            return False


def _waits(statement: st.Statement) -> bool:
    """Whether a statement is a wait for the kernels before, for all threads."""
    match statement:
        case st.Evaluate(expression=ir.Call(function=function)):
            return function.name == _WAIT
        case st.Assembly(template=template):
            return "griddepcontrol.wait" in template
        case _:
            return False


def _used(node: object) -> Iterable[Variable] | None:
    match node:
        case ir.Load(place=place) | ir.Assign(place=place) | ir.Update(place=place):
            return _reached(place)
        case ir.Call(function=function, arguments=arguments) if function.name != _WAIT and function.user_code:
            return None if arguments else ()
        case ir.Call(arguments=arguments):
            return [n.variable for a in arguments for n in nodes(a) if isinstance(n, ir.VariablePlace)]
        case ir.IndirectCall() | ir.Unsupported() | st.UnsupportedStatement() | st.Assembly():
            return None
        case st.Return():
            return ()
        case _:
            return ()


def _reached(place: ir.Place) -> list[Variable] | None:
    """What a place is reached through; None: through a pointer that is not a parameter itself."""
    match place:
        case ir.VariablePlace(variable=variable):
            return [variable] if variable.storage in _SHARED else []
        case ir.FieldPlace(base=base) | ir.AfterPlace(place=base):
            return _reached(base)
        case ir.Deref(pointer=pointer) if _is_own(pointer):
            return []
        case ir.Deref(pointer=pointer):
            roots = list(_roots(pointer))
            return None if any(v.storage is not Storage.PARAMETER for v in roots) or not roots else roots
        case _:
            return None


def _is_own(pointer: ir.Expression) -> bool:
    """Whether a pointer leads into a variable that no other kernel sees."""
    match pointer:
        case ir.PointerAdd(pointer=inner) | ir.Convert(operand=inner):
            return _is_own(inner)
        case ir.AddressOf(place=ir.VariablePlace(variable=variable)):
            return variable.storage in (Storage.SHARED, Storage.LOCAL)
        case _:
            return False


def _roots(pointer: ir.Expression) -> Iterator[Variable]:
    match pointer:
        case ir.PointerAdd(pointer=inner) | ir.Convert(operand=inner):
            yield from _roots(inner)
        case ir.Load(place=place) if (member := member_of(place)) is not None:
            yield member[0]
        case ir.AddressOf(place=ir.VariablePlace(variable=variable)):
            yield variable
        case _:
            pass
