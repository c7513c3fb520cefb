"""Parsing of a source file to its program."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from hgrd.program.control_flow.spinning_loops import with_breaks
from hgrd.program.program import Function, Program, Side
from hgrd.program.repeated_tries import with_waits
from hgrd.source.clang.run import needs_device_pass, nothing
from hgrd.source.options import SourceOptions
from hgrd.source.program_cache import key_of, load, store
from hgrd.source.text.repairs import INSTANCE

_TYPICAL = ("int", "float")  # arguments for the type parameters of templates that nothing instantiates


def parse_file(path: str, options: SourceOptions, meanwhile: Callable[[], object] = nothing) -> Program:
    """The program in a source file; `meanwhile` is called while the compiler is at work for the first time.

    Where `__CUDA_ARCH__` matters the file is read twice, as nvcc does: device code comes from the device
    pass, host code from the host pass.  Raises SourceError for a file that cannot be read at all; what
    cannot be understood inside of it becomes Unsupported nodes and diagnostics.
    """
    program = _passes(path, options, meanwhile)
    return program if options.device_pass else _presuming(program, path, options)


def _passes(path: str, options: SourceOptions, meanwhile: Callable[[], object] = nothing) -> Program:
    """The program of one pass or two; as it was when the file was parsed last, if nothing has changed since."""
    key = key_of(path, options) if options.reuse else None
    known = load(key, options) if key is not None else None
    if known is not None:
        return known
    program = _fresh(path, options, meanwhile)
    if key is not None and key == key_of(path, options):
        store(key, program, options)
    return program


def _fresh(path: str, options: SourceOptions, meanwhile: Callable[[], object]) -> Program:
    # Not before it is needed: most of the front end loads with it.
    from hgrd.source.lowering.translation_unit import lower_file

    host = lower_file(path, options, meanwhile)
    if options.device_pass or not needs_device_pass(path, options):
        return replace(host, functions=_prepared(host.functions))
    merged = _merged(host, lower_file(path, replace(options, device_pass=True)))
    return replace(merged, functions=_prepared(merged.functions))


def _prepared(functions: Mapping[str, Function]) -> Mapping[str, Function]:
    return with_waits(with_breaks(functions))


def _presuming(program: Program, path: str, options: SourceOptions) -> Program:
    """The program with an instance of each kernel template that matters and has none, with typical types for its types.

    As it was, where no typical type makes them compile.  Templates of values stay patterns: what holds for
    one value says nothing of others.
    """
    open_ = tuple(dict.fromkeys(t for t in program.uninstantiated if t.types is not None and options.wants(t.name)))
    errors = sum(d.error for d in program.diagnostics)
    for type_ in _TYPICAL if open_ else ():
        kernels = tuple(f"{t.qualified}<{', '.join(type_ for _ in t.types or ())}>" for t in open_)
        more = _passes(path, replace(options, instances=kernels))
        if sum(d.error for d in more.diagnostics) == errors and not set(open_) & set(more.uninstantiated):
            globals_ = {key: g for key, g in more.globals.items() if not g.variable.name.startswith(INSTANCE)}
            texts = [", ".join(f"{name} = {type_}" for name in t.types or ()) for t in open_]
            return replace(more, globals=globals_, presumed=tuple(zip(open_, texts, strict=True)))
    return program


def _merged(host: Program, device: Program) -> Program:
    """Device functions as the device sees them, everything else as the host does."""
    functions = dict(device.functions)
    for key, function in host.functions.items():
        other = functions.get(key)
        if other is None or other.body is None or function.side is Side.HOST:
            functions[key] = function
    ordered = (*host.functions, *device.functions)
    known = set(host.diagnostics)
    return replace(
        host,
        functions={key: functions[key] for key in ordered},
        globals={**device.globals, **host.globals},
        records={**device.records, **host.records},
        diagnostics=(*host.diagnostics, *(d for d in device.diagnostics if d not in known)),
        uninstantiated=tuple(dict.fromkeys((*host.uninstantiated, *device.uninstantiated))),
        missing_includes=tuple(dict.fromkeys((*host.missing_includes, *device.missing_includes))),
        macro_guesses=tuple(dict.fromkeys((*host.macro_guesses, *device.macro_guesses))),
    )
