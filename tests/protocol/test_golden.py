"""The stages of whole kernels, as `hgrd show protocol`, `aligned` and `phases` print them."""

from pathlib import Path

import pytest

from hgrd.findings.options import AnalysisOptions
from hgrd.protocol.phases.aligned import print_aligned
from hgrd.protocol.printer import print_protocol
from hgrd.races.pairs.printer import print_phases
from tests.checking import protocols

GOLDEN = Path(__file__).parent / "golden"


def printed(folder: Path, program: str, stage: str) -> str:
    found = protocols(folder, (GOLDEN / f"{program}.cu").read_text()).values()
    match stage:
        case "protocol":
            parts = map(print_protocol, found)
        case "aligned":
            parts = map(print_aligned, found)
        case _:
            parts = (print_phases(p, AnalysisOptions()) for p in found)
    return "\n".join(parts).replace(str(folder / "program.cu"), f"{program}.cu")


@pytest.mark.parametrize("program", sorted(p.stem for p in GOLDEN.glob("*.cu")))
def test_protocol(tmp_path: Path, program: str):
    assert printed(tmp_path, program, "protocol") == (GOLDEN / f"{program}.txt").read_text()


@pytest.mark.parametrize("stage", ["aligned", "phases"])
@pytest.mark.parametrize("program", ["carried", "buffers", "nested"])
def test_barriers_in_loops(tmp_path: Path, program: str, stage: str):
    assert printed(tmp_path, program, stage) == (GOLDEN / f"{program}.{stage}.txt").read_text()
