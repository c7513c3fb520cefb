"""Protocols of whole kernels, as `hgrd show protocol` prints them."""

from pathlib import Path

import pytest

from hgrd.protocol.printer import print_protocol
from tests.checking import protocols

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("program", sorted(p.stem for p in GOLDEN.glob("*.cu")))
def test_protocol(tmp_path: Path, program: str):
    found = protocols(tmp_path, (GOLDEN / f"{program}.cu").read_text())
    text = "\n".join(map(print_protocol, found.values())).replace(str(tmp_path / "program.cu"), f"{program}.cu")
    assert text == (GOLDEN / f"{program}.txt").read_text()
