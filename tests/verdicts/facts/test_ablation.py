"""Without the class of facts that a proof names there is no proof; without the others there is."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hgrd.findings.model import Outcome, Report
from hgrd.host.kinds import CLASSES
from hgrd.host.model import FactKind
from tests.checking import check
from tests.verdicts.facts.test_facts import PROGRAMS

WITHIN = "stay within arrays"  # an assumption that rests on the sizes of allocations


@cache
def checked(name: str, without: frozenset[FactKind]) -> Report:
    with TemporaryDirectory() as folder:
        asserts = FactKind.ASSERT not in without
        return check(Path(folder), PROGRAMS[name].source, without=without, asserts=asserts)


def used(report: Report) -> set[FactKind]:
    uses = {use for kernel in report.kernels for launch in kernel.launches for use in launch.assumptions}
    return {FactKind.ALLOCATION if WITHIN in use.text else FactKind(use.kind) for use in uses}


def outcomes(report: Report) -> set[Outcome]:
    return {kernel.outcome for kernel in report.kernels}


@pytest.mark.parametrize("name", PROGRAMS)
def test_not_safe_without_the_class(name: str) -> None:
    kind, text = PROGRAMS[name].used
    report = checked(name, frozenset({FactKind.ALLOCATION if WITHIN in text else FactKind(kind)}))
    assert outcomes(report) == {Outcome.RACE}


@pytest.mark.parametrize("name", PROGRAMS)
def test_safe_without_the_classes_that_are_not_named(name: str) -> None:
    others = frozenset(CLASSES) - used(checked(name, frozenset()))
    report = checked(name, others)
    assert outcomes(report) == {Outcome.SAFE}
    assert not used(report) & others
