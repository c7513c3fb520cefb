"""What tests of analyses share: kernels with the verdicts expected of them written above.

    // race: read next, write here; global; warp block grid
    __global__ void shift(int *a) {
      int t = threadIdx.x;
      int v = a[t + 1];  // next
      a[t] = v;  // here
    }

A comment at the end of a line is the label of the accesses in it.  `expected` reads the verdicts in such
a text, `observed` says what came of an analysis in the same words, and `verdicts` makes a test of the two:

    race: ACCESS, ACCESS; SPACE; LEVELS        a race that counts; " (data-dependent)" if it is that,
                                               " (unless CONDITION)" if it is conditional
    note: ACCESS, ACCESS; SPACE; LEVELS        two writes of the same value
    barrier: RULE BARRIER                      a barrier that is not performed as it must be (`barriers` only)
    open: ACCESS, ACCESS; SPACE; LEVELS: WHY   a pair that was not decided
    open: WHY                                  a part of the kernel that was not understood
    safe: N of M pairs                         the kernel is safe; N of its M pairs were discharged
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

import pytest

from hgrd.engine.analysis.launch_protocol import infer_at_launch
from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Confidence, Finding, Level, OpenPair, Outcome, Report, Site
from hgrd.findings.options import AnalysisOptions
from hgrd.host.run import run_host
from hgrd.program.linked import link
from hgrd.program.program import Program
from hgrd.program.span import Span
from hgrd.protocol.model import Protocol
from hgrd.protocol.printer import print_protocol
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file

_LABEL = re.compile(r"//\s*(\w+)\s*$")
_EXPECTED = re.compile(r"\s*// ((?:race|note|barrier|open|safe): .*)$")
_ATTRIBUTES = r"(?:__\w+__\([\w, ]*\)\s+)*"
_KERNEL = re.compile(rf"__global__\s+{_ATTRIBUTES}void\s+{_ATTRIBUTES}(\w+)\s*\(")
_WORDS = {Level.INTRA_WARP: "warp", Level.INTRA_BLOCK: "block", Level.INTER_BLOCK: "grid"}


def parse(folder: Path, text: str) -> Program:
    file = folder / "program.cu"
    file.write_text(text)
    program = parse_file(str(file), SourceOptions())
    assert [(str(d.span), d.message) for d in program.diagnostics if d.error] == []
    return program


def check(folder: Path, text: str, **options: object) -> Report:
    """Analyses a program; `options` are fields of AnalysisOptions."""
    return analyze((parse(folder, text),), AnalysisOptions(**options))


def launched_in(body: str) -> tuple[str, ...]:
    """The kernels that host code launches, for `kernels` of the options; () for all where that is not plain to see."""
    return () if "cudaLaunch" in body else tuple(dict.fromkeys(re.findall(r"(\w+)(?:<[\w, ]+>)?<<<", body)))


def outcomes_of_launches(report: Report) -> set[Outcome]:
    """The outcomes at all launches that stand in the program."""
    return {n.outcome for k in report.kernels for n in k.launches if n.launch_span is not None}


def decided(report: Report) -> tuple[int, int]:
    """How many pairs there were, and how many of them were shown never to meet."""
    launches = [launch for kernel in report.kernels for launch in kernel.launches]
    return sum(x.pairs for x in launches), sum(x.discharged for x in launches)


# ---------------------------------------------------------------- findings as comments


def expected(text: str) -> dict[str, list[str]]:
    """The verdicts written above each kernel, sorted."""
    found: dict[str, list[str]] = {}
    waiting: list[str] = []
    for line in text.splitlines():
        if comment := _EXPECTED.match(line):
            waiting.append(comment[1])
        elif kernel := _KERNEL.search(line):
            assert kernel[1] not in found, f"two kernels are called {kernel[1]}"
            found[kernel[1]] = sorted(waiting)
            waiting = []
    assert not waiting, f"no kernel follows {waiting}"
    return found


def cases(text: str, gaps: Mapping[str, str] = MappingProxyType({})) -> list[object]:
    """The kernels in a text as parameters of a test, as `marked`."""
    return marked(expected(text), gaps)


def marked(names: Iterable[str], gaps: Mapping[str, str]) -> list[object]:
    """Parameters of a test; `gaps` names what is known to go wrong, and why."""
    return [
        pytest.param(name, marks=pytest.mark.xfail(strict=True, reason=gaps[name])) if name in gaps else name
        for name in names
    ]


def observed(report: Report, text: str) -> dict[str, list[str]]:
    """The verdicts of each kernel in the same words, sorted."""
    labels = _Labels(text)
    found: dict[str, list[str]] = {}
    for kernel in report.kernels:
        lines = [labels.finding(f) for f in kernel.findings]
        lines += dict.fromkeys(labels.open(pair) for launch in kernel.launches for pair in launch.open_pairs)
        if kernel.outcome is Outcome.SAFE:
            total, discharged = (sum(getattr(x, name) for x in kernel.launches) for name in ("pairs", "discharged"))
            lines.append(f"safe: {discharged} of {total} pairs")
        found[kernel.kernel] = sorted(lines)
    return found


def verdicts(text: str, *, gaps: Mapping[str, str] = MappingProxyType({}), **options: object) -> Callable[[str], None]:
    """A test that each kernel in a text gets just the verdicts written above it: `test_kernel = verdicts(SOURCE)`.

    The text is analysed once; `options` are fields of AnalysisOptions, `gaps` is what `cases` takes.
    """

    @cache
    def found() -> dict[str, list[str]]:
        with TemporaryDirectory() as folder:
            return observed(check(Path(folder), text, **options), text)

    @pytest.mark.parametrize("kernel", cases(text, gaps))
    def test(kernel: str) -> None:
        assert found()[kernel] == expected(text)[kernel]

    return test


def barriers(report: Report, text: str) -> dict[str, list[str]]:
    """What is wrong with the barriers of each kernel in the same words, sorted."""
    labels = _Labels(text)
    return {
        kernel.kernel: sorted(f"barrier: {d.rule.value} {labels.line(d.span)}" for d in kernel.divergences)
        + sorted({f"open: barrier {labels.line(b.span)}: {b.reason}" for x in kernel.launches for b in x.open_barriers})
        for kernel in report.kernels
    }


class _Labels:
    """The label of every line; its number where it has none."""

    def __init__(self, text: str) -> None:
        lines = enumerate(text.splitlines(), 1)
        self._names = {n: match[1] for n, line in lines if (match := _LABEL.search(line))}

    def line(self, span: Span) -> str:
        return self._names.get(span.line, str(span.line))

    def finding(self, finding: Finding) -> str:
        what = self._pair(finding.first, finding.second, finding.space.value, finding.levels)
        sure = "" if finding.confidence is Confidence.DEFINITE else f" ({finding.confidence.value})"
        if finding.condition:
            sure = f" (unless {finding.condition})"
        return f"{'note' if finding.same_value else 'race'}: {what}{sure}"

    def open(self, pair: OpenPair) -> str:
        if pair.first is None or pair.second is None or pair.space is None:
            return f"open: {pair.reason}"
        return f"open: {self._pair(pair.first, pair.second, pair.space.value, pair.levels)}: {pair.reason}"

    def _pair(self, first: Site, second: Site, space: str, levels: tuple[Level, ...]) -> str:
        one, two = sorted((self._site(first), self._site(second)))
        return f"{one}, {two}; {space}; {' '.join(_WORDS[level] for level in levels)}"

    def _site(self, site: Site) -> str:
        return f"{site.kind.value} {self.line(site.span)}"


# ---------------------------------------------------------------- earlier stages


def protocols(folder: Path, text: str, **options: object) -> dict[str, Protocol]:
    """The protocol of every kernel (at its last launch)."""
    program = parse(folder, text)
    chosen, tables, launches = AnalysisOptions(**options), link((program,)), run_host((program,)).launches
    found: dict[str, Protocol] = {}
    for kernel in program.kernels():
        for launch in [site for site in launches if site.kernel.key == kernel.ref.key] or [None]:
            found[kernel.ref.name] = infer_at_launch(tables, kernel, launch, chosen).protocol
    return found


def printed(protocol: Protocol) -> str:
    """The protocol without its head, and without the places in the source."""
    lines = print_protocol(protocol).splitlines()[2:]
    return "\n".join(line.partition("  // ")[0].removeprefix("  ") for line in lines)
