"""The page docs/cuda-coverage.md: what hgrd models of CUDA's manuals, made from the programs of the guide."""

from __future__ import annotations

from itertools import groupby

from tests.guide.reading import GuideProgram

HEAD = """# What hgrd models of CUDA

Made from the programs of `tests/guide/` by `python -m tests.guide`; do not edit. Each line is a feature of CUDA's
manuals with two small programs: one with a mistake, and the same one without it. The columns say what hgrd answers to
each: `race` and `safe` are right, `conditional race` names a condition on the input under which there is none, and
`unknown` says that hgrd does not decide it, for the reason given under the table.
"""


def page(programs: list[GuideProgram]) -> str:
    """The text of the page; `programs` come in the order of `reading.programs`."""
    pairs = len({p.name for p in programs})
    unknown = sum(p.result == "unknown" for p in programs)
    text = [HEAD, f"{pairs} pairs; {unknown} of the {len(programs)} programs are unknown.\n"]
    for manual, of_manual in groupby(programs, lambda p: p.manual):
        text.append(f"## {manual}\n")
        for section, of_section in groupby(of_manual, lambda p: p.section):
            text.append(_table(section, list(of_section)))
    return "\n".join(text)


def _table(section: str, programs: list[GuideProgram]) -> str:
    gaps = list(dict.fromkeys(p.gap for p in programs if p.gap))
    lines = [f"### {section}\n", "| what it shows | with the mistake | without it |", "|---|---|---|"]
    by_name = {p.name: {q.racy: q for q in programs if q.name == p.name} for p in programs}
    lines += [
        f"| {pair[True].shows} | {_cell(pair[True], gaps)} | {_cell(pair[False], gaps)} |" for pair in by_name.values()
    ]
    lines += ["", *(f"{number}. {gap}" for number, gap in enumerate(gaps, 1)), *([""] if gaps else [])]
    return "\n".join(lines)


def _cell(program: GuideProgram, gaps: list[str]) -> str:
    return f"{program.result} ({gaps.index(program.gap) + 1})" if program.result == "unknown" else program.result
