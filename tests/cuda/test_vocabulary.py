"""Every device function of the shipped headers is a row of `cuda`, or a gap with a reason; every row has meanings."""

import re
import subprocess
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from hgrd.cuda.atomics import atomic_function, atomic_member, is_thread_fence
from hgrd.cuda.builtins import Kind, builtin
from hgrd.cuda.gaps import GAPS, MEANINGS_MISSING
from hgrd.cuda.groups import FUNCTIONS, NAMESPACE
from hgrd.cuda.memory_model import Level, Scope
from hgrd.protocol.device_calls import dispatch as protocol
from hgrd.simulate.interleaving import device_calls as interleaving
from hgrd.simulate.lockstep.device import barriers_and_votes, dispatch
from hgrd.source.clang.command import PRELUDE, language_flags
from hgrd.source.clang.precompiled import HEADERS
from hgrd.source.clang.toolchain import find_toolchain
from hgrd.source.options import SourceOptions

INCLUDED = (
    "cooperative_groups.h", "cuComplex.h", "cuda/atomic", "cuda/barrier", "cuda/functional", "cuda/pipeline",
    "cuda/ptx", "cuda/semaphore", "cuda_bf16.h", "cuda_fp16.h", "cuda_fp8.h", "curand_kernel.h", "klee/klee.h",
    "mma.h", "cub/cub.cuh", "hgrd/vector_math.h",
)  # fmt: skip
_TOKEN = re.compile(r"operator\s*(?:\(\)|\[\]|\w[\w ]*(?=\()|[^\s\w(]+)|[A-Za-z_]\w*|::|\S")
_OPENS = re.compile(r".*\b(?:namespace|struct|class)\s+(\w+)[^;(){}]*$", re.DOTALL)
_ATTRIBUTE = re.compile(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)")


@cache
def declared() -> frozenset[str]:
    """The qualified names of the device functions that the headers declare."""
    options, toolchain = SourceOptions(), find_toolchain(None)
    command = [*toolchain.command, *language_flags("hip", options, toolchain), "-include", str(PRELUDE), "-E", "-"]
    command[-1:] = [
        *(part for name in INCLUDED for part in ("-include", str(HEADERS / name))),
        "-x",
        "hip",
        "/dev/null",
    ]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    ours, kept = False, list[str]()
    for line in text.splitlines():
        if line.startswith("# "):
            ours = Path(line.split('"')[1]).is_relative_to(HEADERS)
        elif ours:
            kept.append(line)
    return frozenset(_functions("\n".join(kept)))


def _functions(text: str) -> set[str]:
    """Names of declarations with the attribute `device`, with the namespaces and classes around them."""
    found, around, start, depth = set[str](), list[str | None](), 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c not in "{};" or depth:
            continue
        piece = text[start:i].strip()
        start = i + 1
        if "__attribute__((device))" in piece and None not in around:
            scopes = [name for name in around if name]
            found |= {"::".join([*scopes, name]) for name in _declarators(piece)}
        if c == "{":
            opened = _OPENS.match(_ATTRIBUTE.sub(" ", piece))
            around.append(opened[1] if opened else "" if piece.endswith('extern "C"') else None)
        elif c == "}" and around:
            around.pop()
    return found


def _declarators(piece: str) -> set[str]:
    """The names before parentheses of parameters in one declaration."""
    names, depth, last = set[str](), 0, ""
    piece = re.sub(r"__attribute__\(\(.*?\)\)|template\s*<[^()]*?>(?=\s*(?:__|\w))", " ", piece)
    for token in _TOKEN.findall(piece.partition(") :")[0]):
        if token == "(" and depth == 0 and re.match(r"[A-Za-z_]", last) and last not in ("decltype", "noexcept"):
            names.add(re.sub(r"^operator\s+", "operator ", last.strip()))
        depth += (token == "(") - (token == ")")
        last = token
    return names


def is_row(qualified: str) -> bool:
    name = qualified.rpartition("::")[2]
    if qualified.startswith(NAMESPACE):
        return name in FUNCTIONS
    if is_thread_fence(qualified) or any(atomic_member(qualified, name, n) for n in (1, 2)):
        return True
    return "::" not in qualified and (builtin(name) is not None or atomic_function(name) is not None)


def test_headers_are_read():
    assert {"__syncthreads", "atomicAdd", "cuda::atomic::load", "cooperative_groups::grid_group::sync"} <= declared()
    assert len(declared()) > 900


def test_every_device_function_is_a_row_or_a_gap():
    unknown = [n for n in sorted(declared()) if not is_row(n) and not any(re.fullmatch(g, n) for g in GAPS)]
    assert unknown == []


@pytest.mark.parametrize("gap", GAPS)
def test_gaps_are_needed(gap: str):
    assert any(re.fullmatch(gap, n) and not is_row(n) for n in declared())


def test_every_kind_has_a_meaning_or_a_reason():
    meanings = {
        "protocol": protocol.MEANINGS.keys(),
        "lockstep": dispatch.MEANINGS.keys() | barriers_and_votes.MEANINGS.keys(),
        "interleaving": interleaving.MEANINGS.keys(),
    }
    for interpreter, known in meanings.items():
        missing = {kind.name for kind in Kind if kind not in known}
        assert missing == MEANINGS_MISSING.get(interpreter, {}).keys(), interpreter


def test_a_wider_scope_covers_what_a_narrower_one_does():
    covered = [{level for level in Level if scope.covers(level)} for scope in Scope]
    assert all(narrow <= wide for narrow, wide in pairwise(covered))
    assert [len(levels) for levels in covered] == [0, 1, 2, 3, 3]
