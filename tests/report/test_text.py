from io import StringIO
from pathlib import Path

from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind
from hgrd.findings.model import KernelReport, Level, Report
from hgrd.program.span import Span
from hgrd.report.terminal.lines import plain, write
from hgrd.report.terminal.names import in_source
from hgrd.report.terminal.report import TextOptions, render
from hgrd.report.terminal.source_text import place
from tests.report.samples import BARRIERS, BENIGN, DOUBTFUL, GUARD, RACY, SAFE, UNKNOWN, report, source_line

GOLDEN = Path(__file__).parent / "golden"


def text(what: Report, options: TextOptions | None = None) -> str:
    return plain(render(what, source_line, options or TextOptions()))


def test_everything_there_is_to_say():
    assert text(report(RACY, SAFE, BENIGN, DOUBTFUL, UNKNOWN, BARRIERS)) == (GOLDEN / "report.txt").read_text()


def test_brief_leaves_out_kernels_and_open_pairs():
    assert text(report(SAFE, UNKNOWN), TextOptions(brief=True)) == ("2 kernels: 1 safe, 1 unknown; 0 races; 1.50 s\n")


def test_same_value_writes_are_errors_when_strict():
    headline = text(report(BENIGN), TextOptions(strict=True)).splitlines()[0]
    assert headline.startswith("sum.cu:31:3: error: data race on 'out' (global memory) in kernel 'mark'")


def test_the_source_is_left_out_where_it_cannot_be_read():
    lines = plain(render(report(RACY), lambda _file, _line: None, TextOptions())).splitlines()
    assert lines[:3] == [
        "sum.cu:12:2: error: data race on 'tile' (shared memory) in kernel 'reduce': this write of tile[t]",
        "sum.cu:15:19: note: and this read of tile[t + s]",
        "  levels:     intra-block",
    ]


def test_colours_change_nothing_but_escapes():
    coloured, uncoloured = StringIO(), StringIO()
    lines = list(render(report(RACY), source_line, TextOptions()))
    write(lines, coloured, color=True)
    write(lines, uncoloured, color=False)
    assert "\x1b[1;31merror: \x1b[0m" in coloured.getvalue()
    assert "\x1b" not in uncoloured.getvalue()
    assert uncoloured.getvalue() == plain(lines)


def test_a_kernel_without_launch_says_so():
    alone = replace(UNKNOWN, launches=(replace(UNKNOWN.launches[0], launch_span=None, open_pairs=()),))
    assert text(report(alone)).splitlines()[:2] == [
        "scatter: unknown  no launch in the sources, 9 of 9 pairs decided, 0.25 s  [sum.cu:8:17]",
        "  scatter<<<(n + 255) / 256, 256>>>",
    ]


def test_a_pair_that_is_open_at_several_levels_is_one_pair():
    (launch,) = UNKNOWN.launches
    (pair,) = (p for p in launch.open_pairs if p.first is not None)
    twice = (pair, replace(pair, levels=(Level.INTRA_WARP,), reason="for another reason"))
    other = replace(pair, second=replace(pair.first, kind=AccessKind.READ))
    for open_pairs, decided in ((twice, 8), ((*twice, other), 7)):
        again = replace(UNKNOWN, launches=(replace(launch, open_pairs=open_pairs),))
        assert f"1 launch, {decided} of 9 pairs decided" in text(report(again))


def test_facts_and_all_inputs_of_a_race_are_shown_if_asked_for():
    (finding,) = RACY.findings
    facts = tuple(replace(GUARD, text=f"n != {i}") for i in range(15))
    inputs = tuple((f"n{i}", i) for i in range(8))
    racy = replace(RACY, findings=(replace(finding, facts=facts, witness=replace(finding.witness, inputs=inputs)),))
    lines = text(report(racy), TextOptions(verbose=True)).splitlines()
    shown = [line.strip() for line in lines if "[guard]" in line]
    assert shown == [f"sum.cu:40:7: n != {i} [guard]" for i in range(15)]
    assert "              n6 = 6, n7 = 7" in lines
    lines = text(report(racy)).splitlines()
    assert not any("[guard]" in line for line in lines)
    inputs_at = lines.index("              n0 = 0, n1 = 1, n2 = 2")
    assert lines[inputs_at + 1 : inputs_at + 3] == [
        "              n3 = 3, n4 = 4, n5 = 5",
        "              and 2 more, which -v shows",
    ]


def test_the_way_to_a_helper_is_shown():
    (finding,) = RACY.findings
    source = {("sum.cu", 12): "  store(tile + t, x);", ("sum.h", 3): "  return load<4>(p);"}
    calls = (Span("sum.cu", 12, 3), Span("sum.h", 3, 10))
    racy = replace(RACY, findings=(replace(finding, first_calls=calls),))
    lines = plain(render(report(racy), lambda file, line: source.get((file, line)), TextOptions())).splitlines()
    assert "  called:     sum.cu:12 → sum.h:3 store → sum.cu:12 load" in lines


def test_names_are_those_of_the_source():
    assert in_source("a[i#'2 * 4] + n") == "a[i * 4] + n"
    assert in_source("i# - i#'2") == "i - i'2"
    assert in_source("SIZE[][__begin1.iteration#]") == "SIZE[iteration]"
    assert in_source("it depends on values that are not known: value'2") == (
        "it depends on values that are not known: value"
    )
    assert in_source("variable 'is_empty_v' that is not declared here, read as 'i#'") == (
        "variable 'is_empty_v' that is not declared here, read as 'i'"
    )
    (finding,) = RACY.findings
    threads = replace(finding.witness.first, locals=(("j.iteration#'2", 1), ("j.iteration", 0)))
    racy = replace(RACY, findings=(replace(finding, witness=replace(finding.witness, first=threads)),))
    lines = text(report(racy)).splitlines()
    assert [line.split()[:-2] for line in lines if "j.iteration" in line] == [["j.iteration"], ["j.iteration", "(2)"]]


def test_accesses_are_named_as_in_the_source():
    site = replace(RACY.findings[0].first, text="tile[threadIdx.x + i# * 4]")
    for source, shown in (
        ("\ts.tile[f(t)][i + (1)] = 0;", "s.tile[f(t)][i + (1)]"),
        ("\t*p++ = x;", "*p"),
        ("\tstore(p, x);", "tile[threadIdx.x + i * 4]"),
        ("\ttile[t", "tile[threadIdx.x + i * 4]"),
        (None, "tile[threadIdx.x + i * 4]"),
    ):
        assert place(site, lambda _file, _line, source=source: source) == shown


def test_the_last_block_has_the_gravest_first():
    lines = text(report(DOUBTFUL, RACY)).splitlines()
    at = lines.index("found, the gravest first:")
    assert lines[at + 1 : at + 3] == [
        "  error    confirmed       sum.cu:12: 1 race on 'tile' in reduce",
        "  warning  conditional     sum.cu:33: 1 race on 'hits' in count",
    ]
    assert "found, the gravest first:" not in text(report(RACY))


def _doubtful(*conditions: str) -> KernelReport:
    """A kernel with a possible race in a line of its own for each condition."""
    (finding,) = DOUBTFUL.findings
    lines = range(20, 20 + len(conditions))
    first = (replace(finding.first, span=replace(finding.first.span, line=n)) for n in lines)
    races = (replace(finding, first=f, condition=c) for f, c in zip(first, conditions, strict=True))
    return replace(DOUBTFUL, findings=tuple(races))


def test_possible_races_of_a_kernel_are_one_contract():
    lines = text(report(_doubtful("n <= m", "n > 0", "n <= m", "n <= m", "n <= m"))).splitlines()
    assert lines[:4] == [
        "sum.cu:8:17: warning: kernel 'count' has 5 possible data races unless its callers respect a contract",
        "  contract:   assert(n <= m);  // for 4 pairs",
        "              assert(n > 0);  // for 1 pair",
        "sum.cu:20:3: warning: possible data race on 'hits' (global memory) in kernel 'count': "
        "this atomic update of hits[0] at block scope",
    ]
    also = next(n for n, line in enumerate(lines) if line.startswith("  also:"))
    assert [line[14:] for line in lines[also : also + 5]] == [
        "atomic update of hits[0] at block scope (sum.cu:21:3) and write of out[index[i]] (sum.cu:31:3)",
        "atomic update of hits[0] at block scope (sum.cu:22:3) and write of out[index[i]] (sum.cu:31:3)",
        "atomic update of hits[0] at block scope (sum.cu:23:3) and write of out[index[i]] (sum.cu:31:3)",
        "and 1 more, which -v shows",
        "",
    ]
    assert sum(": warning: possible data race" in line for line in lines) == 1


def test_each_possible_race_is_shown_if_asked_for():
    lines = text(report(_doubtful("n <= m", "n > 0")), TextOptions(verbose=True)).splitlines()
    assert [line.split(":")[1] for line in lines if ": warning: possible data race" in line] == ["20", "21"]
    assert not any("contract" in line for line in lines)


def test_open_pairs_are_grouped_by_their_reason():
    (launch,) = UNKNOWN.launches
    pair, gap = launch.open_pairs
    more = tuple(replace(x, span=replace(x.span, line=n)) for x in (pair, gap) for n in (16, 17))
    kernel = replace(UNKNOWN, launches=(replace(launch, open_pairs=(*launch.open_pairs, *more)),))
    lines = text(report(kernel)).splitlines()
    assert [line for line in lines if line.startswith("  and:")] == [
        "  and:        2 more for the same reason, which -v lists"
    ] * 2
    everything = text(report(kernel), TextOptions(verbose=True)).splitlines()
    assert sum(": warning: not understood" in line for line in everything) == 3
