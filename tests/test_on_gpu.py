"""The comparison with a GPU, with what a GPU would have written made here."""

from collections import Counter
from pathlib import Path

import pytest
from msgspec import json

from benchmarks import on_gpu


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("on_gpu")
    on_gpu.simulate(made, 500_000, 30)
    return made


def written(pieces: list[on_gpu.Piece], *, changed: str = "", failed: str = "") -> bytes:
    """The output of a program: the status of each kernel, and its arrays."""
    parts: list[bytes] = []
    for piece in pieces:
        arrays = bytearray(b"".join(map(bytes.fromhex, piece.after or ())).ljust(sum(piece.sizes), b"x"))
        if piece.name == changed:
            arrays[0] ^= 1
        parts += [(700 if piece.name == failed else 0).to_bytes(4, "little"), bytes(arrays)]
    return b"".join(parts)


def test_memory_is_compared_byte_by_byte(folder: Path) -> None:
    pieces = json.decode((folder / "group0.json").read_bytes(), type=list[on_gpu.Piece])
    kept = [p.name for p in pieces if p.after is not None]
    assert len(kept) > 2
    left = {"memory: not compared (a race, or what shared memory began with counts)": len(pieces) - len(kept)}
    counts: Counter[str] = Counter()
    on_gpu.compare_memory(pieces, written(pieces), counts)
    assert counts == Counter({"memory: the same": len(kept)} | left)
    counts.clear()
    on_gpu.compare_memory(pieces, written(pieces, changed=kept[0], failed=kept[1]), counts)
    wrong = {"memory: DIFFERENT": 1, "memory: the GPU stops with error 700": 1}
    assert counts == Counter({"memory: the same": len(kept) - 2} | wrong | left)


def test_output_of_other_kernels_is_refused(folder: Path) -> None:
    pieces = json.decode((folder / "group0.json").read_bytes(), type=list[on_gpu.Piece])
    with pytest.raises(SystemExit, match="of other kernels"):
        on_gpu.compare_memory(pieces[1:], written(pieces), Counter())


def test_races_are_compared_by_kernel() -> None:
    shared, other = ((1, "read"), (2, "write"), "shared"), ((1, "write"), (2, "write"), "global")
    levels = ("inter-warp", "intra-warp")
    found = {"k1": [(shared, levels)], "k2": [(shared, levels)], "k3": [(other, levels)], "k4": []}
    found["k5"] = [(shared, ("intra-warp",))]
    pieces = [on_gpu.Piece(name, [0, 0, 0], False, races, None) for name, races in found.items()]
    counts: Counter[str] = Counter()
    on_gpu.compare_races(pieces, "      8 run_k1\n     12 run_k4\n", counts)
    assert counts == {
        "shared memory: both see a race": 1,
        "shared memory: the simulator alone sees one, of warps": 1,
        "shared memory: the simulator alone sees one, within warps": 1,
        "shared memory: neither sees one": 1,
        "shared memory: racecheck alone sees one": 1,
    }


def test_there_is_a_program_for_each_group(folder: Path) -> None:
    text = (folder / "group0.cu").read_text()
    pieces = json.decode((folder / "group0.json").read_bytes(), type=list[on_gpu.Piece])
    assert all(f"static void run_{p.name}(" in text and f'{{"{p.name}", run_{p.name}, ' in text for p in pieces)
    assert (folder / "group0.in").stat().st_size == sum(sum(p.sizes) for p in pieces)
    assert "group0" in (folder / "Makefile").read_text()
