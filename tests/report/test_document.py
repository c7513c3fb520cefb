import json
import re
from pathlib import Path

from hgrd import __version__
from hgrd.findings.roll_up import merged
from hgrd.findings.tally import BarrierCounts, RaceCounts, tally
from hgrd.report.json import document, encoded, to_bytes
from tests.report.samples import BARRIERS, BENIGN, DOUBTFUL, RACY, SAFE, UNKNOWN, report

GOLDEN = Path(__file__).parent / "golden"


WHOLE = report(RACY, SAFE, BENIGN, DOUBTFUL, UNKNOWN, BARRIERS)


def shown(counts: RaceCounts | BarrierCounts) -> tuple[int, int]:
    return counts.errors, counts.notes


def test_everything_there_is_to_say():
    said = to_bytes(WHOLE, False, {"b.cu": "no such file or directory"})
    assert said.decode().replace(__version__, "VERSION") == (GOLDEN / "report.json").read_text()


def test_the_document_survives_json():
    said = document(report(RACY, BENIGN), True, {})
    assert json.loads(to_bytes(report(RACY, BENIGN), True, {})) == said


def test_same_value_writes_count_as_notes_unless_strict():
    assert shown(tally(report(BENIGN), False).races) == (0, 1)
    assert shown(tally(report(BENIGN), True).races) == (1, 0)


def test_exits_before_a_barrier_count_as_notes_unless_strict():
    assert shown(tally(report(BARRIERS), False).barriers) == (2, 1)
    assert shown(tally(report(BARRIERS), True).barriers) == (3, 0)


def test_the_outcome_of_a_report_is_its_worst():
    assert [
        document(r, False, {})["outcome"] for r in (report(SAFE), report(SAFE, UNKNOWN), report(UNKNOWN, RACY))
    ] == [
        "safe",
        "unknown",
        "race",
    ]
    assert document(report(), False, {})["outcome"] == "unknown"


def test_merging_keeps_the_order_and_says_each_message_once():
    whole = merged([report(SAFE), report(RACY)], 3.0)
    assert [kernel.kernel for kernel in whole.kernels] == ["copy", "reduce"]
    assert whole.messages == report().messages
    assert (whole.files, whole.seconds) == (("sum.cu", "sum.cu"), 3.0)


def keys(value: object) -> set[str]:
    match value:
        case dict():
            return {str(key) for key in value} | {key for part in value.values() for key in keys(part)}
        case list():
            return {key for part in value for key in keys(part)}
        case _:
            return set()


def test_every_key_is_documented():
    text = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
    said = set(re.findall(r'[`"](\w+)[`"]', text))
    assert keys(document(WHOLE, False, {"b.cu": "gone"})) - said == set()


def test_numbers_of_any_width() -> None:
    assert json.loads(encoded({"bytes": [1 << 70, -(1 << 64)]})) == {"bytes": [1 << 70, -(1 << 64)]}
