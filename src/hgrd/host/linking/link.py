"""Linking: several translation units as one program, and its call graph."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from msgspec import Struct

from hgrd.cuda.spelling import cuda_name
from hgrd.host.linking.constant_memory import Constants, followed
from hgrd.program import expressions as ir
from hgrd.program.program import Function, Global, Program, Side
from hgrd.program.signatures import callable_as
from hgrd.program.span import Span
from hgrd.program.statements import Statement
from hgrd.program.types import Field, FunctionType, OpaqueType, PointerType, Record, RecordType, Type
from hgrd.program.walk import nodes
from hgrd.symbolic.execution.virtual_calls import overriding

LAUNCH_FUNCTIONS = frozenset(
    (
        "cudaLaunchKernel", "cudaLaunchCooperativeKernel", "cudaLaunchKernelExC", "cudaLaunchKernelEx",
        "cudaGraphAddKernelNode", "cudaGraphKernelNodeSetParams", "cudaGraphExecKernelNodeSetParams", "cuLaunchKernel",
        "cuLaunchCooperativeKernel",
    )
)  # fmt: skip
_GRAPH_LAUNCHES = frozenset(("cudaGraphLaunch", "cuGraphLaunch"))  # of kernels that are launched elsewhere, to record
_GET_FUNCTION = "cuModuleGetFunction"
_ASKING = ("cudaFunc", "cudaOccupancy")  # begin the names of functions that get a kernel and do not launch it


class LaunchPlace(Struct, frozen=True):
    """A launch in the source of the kernel with this key; instances of a template share the place.

    `kernel` is "" where the place does not name it: a launch through a pointer, or by a function of the runtime.
    """

    span: Span
    kernel: str


class Uses(Struct, frozen=True):
    """What the body of a function mentions: keys of functions, and its own launches (of kernels that are wanted).

    `launchers` are functions of the runtime that launch their argument, `addresses` are functions whose address is
    taken for anything but an immediate launch, `virtual` are methods that are called virtually.
    """

    functions: frozenset[str]
    launches: frozenset[LaunchPlace]
    launchers: frozenset[str]
    addresses: frozenset[str]
    virtual: frozenset[ir.FunctionRef]


class Linked(Struct, frozen=True):
    """A linked program: functions, globals and records by key; `uses` of every host function with a body in user code.

    `constants` are the variables of constant memory that can be followed.  `taken` are the functions and kernels whose
    address is taken for anything but an immediate launch, also in initial values.  `operators` are, by the key of a
    record type, the functions that `object()` may call.  `overriders` are, by the key of a method that is called
    virtually, the functions that such a call can reach.
    """

    functions: Mapping[str, Function]
    globals: Mapping[str, Global]
    records: Mapping[str, Record]
    uses: Mapping[str, Uses]
    constants: Constants
    taken: frozenset[str]
    operators: Mapping[str, tuple[str, ...]]
    overriders: Mapping[str, tuple[str, ...]]

    def launchers(self) -> frozenset[str]:
        """The keys of the runtime functions by which the program launches kernels."""
        return frozenset[str]().union(*(uses.launchers for uses in self.uses.values()))

    def kernels_pointed_to(self, type_: FunctionType) -> tuple[Function, ...]:
        """The kernels whose address is taken and that a pointer of this type can point to."""
        found = [self.functions[key] for key in self.taken & self.functions.keys()]
        kernels = [f for f in found if f.side is Side.KERNEL and callable_as(f, type_)]
        return tuple(sorted(kernels, key=lambda f: (f.span, f.ref.key)))

    def taken_kernels(self) -> list[str]:
        """The keys of the kernels whose address is taken."""
        return sorted(k for k in self.taken if k in self.functions and self.functions[k].side is Side.KERNEL)

    def launches_in(self, statement: Statement) -> frozenset[LaunchPlace]:
        """The launches in a statement and in all that it may call."""
        uses = _uses(statement, lambda _: True)
        return uses.launches.union(*map(self.launches_below, uses.functions))

    def kernels_in(self, statements: Iterable[Statement]) -> frozenset[str]:
        """The keys of kernels that statements, and all that they may call, may launch.

        All kernels whose address is taken are among them.
        """
        uses = _uses(tuple(statements), lambda _: True)
        reached = frozenset(uses.functions).union(*map(self.below, uses.functions))
        return frozenset(
            k for k in reached | self.taken if k in self.functions and self.functions[k].side is Side.KERNEL
        )

    def below(self, key: str) -> frozenset[str]:
        """The keys of all functions that a function mentions, itself or through those that it may call."""
        seen: set[str] = set()
        todo = [key]
        while todo:
            current = todo.pop()
            if current not in seen:
                seen.add(current)
                todo += self.uses[current].functions if current in self.uses else ()
                todo += self.overriders.get(current, ())
        return frozenset(seen)

    def launches_below(self, key: str) -> frozenset[LaunchPlace]:
        """The launches in a function and in all that it may call."""
        return frozenset[LaunchPlace]().union(*(self.uses[k].launches for k in self.below(key) if k in self.uses))

    def entries(self) -> tuple[Function, ...]:
        """Functions that launch something, directly or not: main, those without visible callers, the others.

        Of the others, callers come before what they call.
        """
        called = self.called()
        able = [self.functions[key] for key in self.uses if self.launches_below(key)]
        below = {f.ref.key: len(self.below(f.ref.key)) if f.ref.key in called else 0 for f in able}
        return tuple(sorted(able, key=lambda f: (f.ref.name != "main", *_place(f, called, below))))

    def called(self) -> frozenset[str]:
        """The keys of functions that another one mentions."""
        mentioned = frozenset(k for key, uses in self.uses.items() for k in uses.functions if k != key)
        return mentioned.union(*(self.overriders.get(key, ()) for key in mentioned))

    def called_unseen(self, function: Function) -> bool:
        """Whether the program itself calls a function in a way that shows no arguments.

        That is, through a pointer, from a library (constructors and destructors of the elements of a container, call
        operators), or virtually.
        """
        name, key = function.ref.name, function.ref.key
        if name == "operator()":
            return True
        if "main" not in self.functions or name == "main":
            return False
        owner = function.ref.qualified.removesuffix(f"::{name}").rpartition("::")[2].partition("<")[0]
        makes = name.startswith("~") or (owner == name and "::" in function.ref.qualified)
        virtual = any(key in found for found in self.overriders.values())
        return key in self.taken or virtual or (makes and key not in self.called())


def _place(function: Function, called: Collection[str], below: Mapping[str, int]) -> tuple[bool, int, Span, str]:
    key = function.ref.key
    return key in called, -below[key], function.span, key


def link(programs: Iterable[Program], wants: Callable[[str], bool]) -> tuple[Linked, ...]:
    """One linked program for every `main`, or one in all; only launches of kernels with wanted names count."""
    units = tuple(programs)
    mains = [i for i, unit in enumerate(units) if _main(unit) is not None]
    if len(mains) <= 1:
        return (_join(units, wants),)
    shared = [i for i in range(len(units)) if i not in mains]
    return tuple(_join([units[main], *(units[i] for i in shared)], wants) for main in mains)


def _main(unit: Program) -> Function | None:
    found = unit.functions.get("main")
    return found if found is not None and found.body is not None else None


def _join(units: Collection[Program], wants: Callable[[str], bool]) -> Linked:
    functions: dict[str, Function] = {}
    globals_: dict[str, Global] = {}
    records: dict[str, Record] = {}
    for unit in units:
        for key, function in unit.functions.items():
            if key not in functions or functions[key].body is None:
                functions[key] = function
        for key, variable in unit.globals.items():
            if key not in globals_ or globals_[key].initial is None:
                globals_[key] = variable
        for key, record in unit.records.items():
            if key not in records or not records[key].complete:
                records[key] = record
    hosts = {k: f for k, f in functions.items() if f.side in (Side.HOST, Side.BOTH) and f.body is not None}
    records.update((k, r) for k, r in opaque_records(functions.values()).items() if k not in records)
    uses = {k: _uses(f.body, wants) for k, f in hosts.items() if f.user_code}
    taken = _uses(tuple(g.initial for g in globals_.values()), wants).addresses
    taken = taken.union(*(u.addresses for u in uses.values()))
    operators = call_operators(hosts[k] for k in uses)
    return Linked(
        functions, globals_, records, uses, followed(units), taken, operators, _overriders(uses, functions, records)
    )


def _overriders(
    uses: Mapping[str, Uses], functions: Mapping[str, Function], records: Mapping[str, Record]
) -> dict[str, tuple[str, ...]]:
    methods = {m.key: m for found in uses.values() for m in found.virtual}
    return {key: overriding(method, functions, records) for key, method in methods.items()}


def record_of(type_: Type) -> str | None:
    """The key of the record that a type is, or points to; None: neither."""
    match type_:
        case PointerType(to=RecordType(key=key)) | RecordType(key=key):
            return key
        case _:
            return None


def call_operators(functions: Iterable[Function]) -> dict[str, tuple[str, ...]]:
    """The keys of the functions that `object()` may call, by the key of the object's record."""
    found: dict[str, tuple[str, ...]] = {}
    for function in functions:
        owner = record_of(function.parameters[0].type if function.parameters else function.returns)
        if function.ref.name == "operator()" and owner is not None:
            found[owner] = (*found.get(owner, ()), function.ref.key)
    return found


def opaque_records(functions: Iterable[Function]) -> dict[str, Record]:
    """Incomplete records for types of unknown layout: the members that the program names."""
    members: dict[str, dict[str, Field]] = {}
    for function in functions:
        for node in nodes(function.body):
            if isinstance(node, ir.FieldPlace):
                owner = type_of(node.base)
                if isinstance(owner, OpaqueType):
                    members.setdefault(owner.name, {})[node.field.name] = node.field
    return {name: Record(name, name, 0, 1, tuple(found.values()), complete=False) for name, found in members.items()}


def type_of(place: ir.Place) -> Type | None:
    """The type of the value at a place."""
    match place:
        case ir.VariablePlace(variable=variable):
            return variable.type
        case ir.FieldPlace(field=member):
            return member.type
        case ir.AfterPlace(place=inner):
            return type_of(inner)
        case _:
            return place.type


def _uses(body: object, wants: Callable[[str], bool]) -> Uses:
    functions: set[str] = set()
    launches: set[LaunchPlace] = set()
    launchers: set[str] = set()
    addresses: list[ir.FunctionAddress] = []
    launched: set[int] = set()  # addresses that go nowhere else
    for node in nodes(body):
        match node:
            case ir.Call(function=called, arguments=arguments, span=span):
                functions.add(called.key)
                if called.name == _GET_FUNCTION:  # by its name
                    functions.update(n.value for n in nodes(arguments) if isinstance(n, ir.StringConst))
                if cuda_name(called.name) in LAUNCH_FUNCTIONS:
                    launches.add(LaunchPlace(span, ""))
                    launchers.add(called.key)
                if cuda_name(called.name) in _GRAPH_LAUNCHES:
                    launchers.add(called.key)
                if not called.user_code and cuda_name(called.name).startswith(_ASKING):
                    launched.update(id(n) for n in nodes(arguments) if isinstance(n, ir.FunctionAddress))
            case ir.Construct(constructor=called) if called is not None:
                functions.add(called.key)
            case ir.FunctionAddress(function=called):
                functions.add(called.key)
                addresses.append(node)
            case ir.Launch(kernel=kernel, span=span):
                launched.add(id(kernel))
                if not isinstance(kernel, ir.FunctionAddress):
                    launches.add(LaunchPlace(span, ""))
                elif wants(kernel.function.name):
                    launches.add(LaunchPlace(span, kernel.function.key))
            case _:
                pass
    taken = frozenset(node.function.key for node in addresses if id(node) not in launched)
    virtual = frozenset(node.function for node in addresses if node.virtual)
    return Uses(frozenset(functions), frozenset(launches), frozenset(launchers), taken, virtual)
