"""Kernels to analyse, each with its launches and the assumptions on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from hgrd.findings.options import AnalysisOptions
from hgrd.host.model import Fact, FactKind, HostRun, LaunchSite
from hgrd.program.program import Function, Program, Template
from hgrd.program.span import Span
from hgrd.terms import TRUE


class KernelLaunches(Struct, frozen=True):
    """Kernel and its launches; these are `(None,)` where host code launches it nowhere.

    `assumed` holds at all of them; `ruled_out` are its launches that constants of the host code rule out.
    """

    kernel: Function
    launches: tuple[LaunchSite | None, ...]
    assumed: tuple[Fact, ...]
    ruled_out: tuple[Fact, ...]


def kernels_at_launches(
    programs: tuple[Program, ...], host: HostRun, options: AnalysisOptions
) -> tuple[KernelLaunches, ...]:
    """The kernels that `options` ask for, but for instances of templates that the program never launches.

    Nor are those that nothing seen launches, others of their template being launched, where instances of host templates
    are not looked at: with these, their launches are missing.
    """
    build = tuple(Fact(TRUE, FactKind.ASSUMPTION, d.message, d.span) for p in programs for d in p.macro_guesses)
    kernels = [(k, (*build, *assumed)) for k, assumed in defined_kernels(programs) if options.wants(k.ref.name)]
    ruled_out = _ruled_out(kernels, host.never)
    launched = {site.kernel.key for site in host.launches}
    without = {site.kernel.key for site in host.never} | _launched_in_the_rest(programs, kernels, launched)
    found: list[KernelLaunches] = []
    for kernel, assumed in kernels:
        launches = tuple(site for site in host.launches if site.kernel.key == kernel.ref.key)
        if launches or kernel.ref.key not in without:
            found.append(KernelLaunches(kernel, launches or (None,), assumed, ruled_out.get(kernel.span, ())))
    return tuple(found)


def defined_kernels(programs: tuple[Program, ...]) -> list[tuple[Function, tuple[Fact, ...]]]:
    """Defined kernels, each once, with the assumptions on it; a template's stand-in only if it has no instance."""
    found: dict[str, tuple[Function, tuple[Fact, ...]]] = {}
    standing_in: set[str] = set()
    for program in programs:
        assumed: dict[tuple[str, Span], tuple[Fact, ...]] = {(t.name, t.span): () for t in program.uninstantiated}
        assumed |= {(t.name, t.span): (_presumption(t, text),) for t, text in program.presumed}
        for k in program.kernels():
            stands_in = (k.ref.name, k.span) in assumed
            if k.ref.key not in found or (k.ref.key in standing_in and not stands_in):
                found[k.ref.key] = (k, (*assumed.get((k.ref.name, k.span), ()), *_left_out(program, k)))
                (standing_in.add if stands_in else standing_in.discard)(k.ref.key)
    instances = {k.ref.qualified for key, (k, _) in found.items() if k.ref.template_args and key not in standing_in}
    return [pair for key, pair in found.items() if key not in standing_in or pair[0].ref.qualified not in instances]


def _launched_in_the_rest(
    programs: tuple[Program, ...], kernels: list[tuple[Function, tuple[Fact, ...]]], launched: set[str]
) -> set[str]:
    """Keys of instances whose launches are in instances of host templates that are not looked at."""
    places = {k.span for k, _ in kernels}
    if not any(d.instances and d.span not in places for p in programs for d in p.diagnostics):
        return set()
    templates = {k.span for k, _ in kernels if k.ref.template_args and k.ref.key in launched}
    return {k.ref.key for k, _ in kernels if k.span in templates} - launched


def _ruled_out(
    kernels: Iterable[tuple[Function, tuple[Fact, ...]]], never: Iterable[LaunchSite]
) -> dict[Span, tuple[Fact, ...]]:
    """Launches that constants of the host code rule out, by where their kernel is defined."""
    defined = {k.ref.key: k.span for k, _ in kernels}
    found: dict[Span, tuple[Fact, ...]] = {}
    for site in never:
        if site.kernel.key in defined:
            span, text = defined[site.kernel.key], "the program never makes this launch"
            told = Fact(TRUE, FactKind.ASSUMPTION, text, site.span)
            found[span] = tuple(dict.fromkeys((*found.get(span, ()), told)))
    return found


def _left_out(program: Program, kernel: Function) -> Iterator[Fact]:
    """What the front end has left out of a kernel's template."""
    for d in program.diagnostics:
        if d.instances and d.span == kernel.span:
            yield Fact(TRUE, FactKind.ASSUMPTION, d.message, d.span)


def _presumption(template: Template, arguments: str) -> Fact:
    text = f"{arguments}: nothing instantiates the template {template.name}"
    return Fact(TRUE, FactKind.ASSUMPTION, text, template.span)
