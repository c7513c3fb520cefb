"""The verdict on a kernel is the same however it is written."""

import re
from typing import NamedTuple

import pytest

from hgrd.findings.model import Finding, Report, Site
from tests.checking import check
from tests.metamorphic.changes import CHANGES
from tests.metamorphic.kernels import KERNELS


class Race(NamedTuple):
    ends: tuple[tuple[str, str], ...]  # array and kind
    levels: tuple[str, ...]
    same_value: bool
    confidence: str


def variants() -> dict[tuple[str, str], str]:
    """By kernel and change, the changed text, the kernel named after both; where the change does something."""
    found: dict[tuple[str, str], str] = {}
    for kernel, text in KERNELS.items():
        for name, change in CHANGES.items():
            if (changed := change(text)) != text:
                found[kernel, name] = re.sub(rf"\b{kernel}\(", f"{kernel}__{name}(", changed)
    return found


VARIANTS = variants()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return check(tmp_path_factory.mktemp("changes"), "\n".join((*KERNELS.values(), *VARIANTS.values())))


def verdict(report: Report, kernel: str, change: str = "") -> tuple[str, list[Race]]:
    name = f"{kernel}__{change}" if change else kernel
    found = next(k for k in report.kernels if k.kernel == name)
    assert not any(launch.open_pairs for launch in found.launches)
    return found.outcome.value, sorted(map(race, found.findings))


def race(finding: Finding) -> Race:
    ends = tuple(sorted((array(site), site.kind.value) for site in (finding.first, finding.second)))
    return Race(ends, tuple(x.value for x in finding.levels), finding.same_value, finding.confidence.value)


def array(site: Site) -> str:
    return site.array.rstrip("_")


def test_every_change_is_tried():
    assert {change: sum(c == change for _, c in VARIANTS) for change in CHANGES} == {
        "renamed": 16,
        "reordered": 10,
        "with_pointers": 16,
        "unrolled": 4,
        "nested": 6,
        "swapped": 12,
    }


@pytest.mark.parametrize(("kernel", "change"), VARIANTS)
def test_the_verdict_stays(report: Report, kernel: str, change: str):
    outcome, races = verdict(report, kernel)
    changed_outcome, changed_races = verdict(report, kernel, change)
    if change == "unrolled":  # every copy of an access counts by itself
        races, changed_races = sorted(set(races)), sorted(set(changed_races))
    assert (changed_outcome, changed_races) == (outcome, races)


RACY = {
    "shift", "exchange_unordered", "stencil_in_place", "four_of_three", "rounds_with_one_barrier",
    "reduction_unordered", "histogram_without_atomics", "parity", "flag",
}  # fmt: skip


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_verdict_itself(report: Report, kernel: str):
    assert verdict(report, kernel)[0] == ("race" if kernel in RACY else "safe")
