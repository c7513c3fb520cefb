"""Trial run of a kernel in a file, for `hgrd simulate`."""

from __future__ import annotations

from hgrd.engine.parsing import parse
from hgrd.program.linked import link
from hgrd.simulate.trial import InputError, Inputs, Trial, try_out
from hgrd.source.build.build import NO_BUILD, Build
from hgrd.source.options import SourceOptions


def run_trial(file: str, kernel: str, source: SourceOptions, inputs: Inputs, build: Build = NO_BUILD) -> Trial:
    """Runs the kernel of that name; of a template, its first instance.  Raises InputError."""
    from hgrd.simulate.lockstep.instructions import UnsupportedError

    programs, failures = parse((file,), source, build)
    if failures:
        raise InputError(f"{failures[0].file}: {failures[0].reason}")
    kernels = [k for program in programs for k in program.kernels()]
    chosen = next((k for k in kernels if k.ref.name == kernel), None)
    if chosen is None:
        there = ", ".join(dict.fromkeys(k.ref.name for k in kernels)) or "none"
        raise InputError(f"{file}: no kernel {kernel} (there: {there})")
    try:
        return try_out(link(programs), chosen, inputs)
    except UnsupportedError as error:
        raise InputError(f"{error.span}: {error.reason}") from None
