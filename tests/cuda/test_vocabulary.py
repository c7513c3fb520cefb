"""Every device function of the shipped headers is a row of `cuda`, or a gap with a reason; every row has meanings."""

import re
import subprocess
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from hgrd.cuda.atomics import atomic_function, atomic_member, is_thread_fence
from hgrd.cuda.builtins import BUILTINS, Builtin, Kind, builtin
from hgrd.cuda.gaps import GAPS, GROUPS_MISSING, MEANINGS_MISSING, ROWS_MISSING
from hgrd.cuda.groups import FUNCTIONS, NAMESPACE
from hgrd.cuda.memory_model import Level, Scope
from hgrd.program.types import FLOAT, INT, Type
from hgrd.protocol.device_calls import dispatch as protocol
from hgrd.protocol.device_calls.annotations import SPECIFICATIONS
from hgrd.simulate.interleaving import device_calls as interleaving
from hgrd.simulate.interleaving import numbers
from hgrd.simulate.lockstep import waits
from hgrd.simulate.lockstep.device import barriers_and_votes, dispatch, stored_results
from hgrd.simulate.lockstep.device.cooperative_groups import MEANINGS as MEANINGS_OF_GROUPS
from hgrd.source.clang.command import PRELUDE, language_flags
from hgrd.source.clang.toolchain import find_toolchain
from hgrd.source.options import SourceOptions
from hgrd.source.own_headers import HEADERS

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
    return frozenset(_functions(preprocessed()))


@cache
def preprocessed() -> str:
    """The text of the headers, as the compiler reads it."""
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
    return "\n".join(kept)


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


def rows() -> dict[str, Builtin]:
    """The device functions that are rows, by name: of the table, of families that headers declare, and of PTX."""
    instructions = {"ptx.own.mma.sync"}
    names = (
        BUILTINS.keys()
        | instructions
        | {name for name in declared() if "::" not in name and atomic_function(name) is None}
    )
    return {name: row for name in names if (row := builtin(name)) is not None}


def in_a_protocol(name: str, row: Builtin) -> bool:
    match row.kind:
        case Kind.NUMBER:
            return row.operation in protocol.NUMBERS
        case Kind.VECTOR:
            return row.operation in ("make", "dim3")
        case kind:
            return name in SPECIFICATIONS or kind in protocol.MEANINGS


def in_lockstep(name: str, row: Builtin) -> bool:
    match row.kind:
        case Kind.NUMBER:
            return dispatch.number_function(name) is not None
        case Kind.NUMBERS:
            return name in stored_results.FUNCTIONS
        case Kind.VECTOR:
            return row.operation == "make"
        case Kind.SPECIFICATION:
            return row.operation != "offset"
        case Kind.NAMED_BARRIER:
            return not row.operation or name in waits.NUMBERED
        case Kind.ADDRESS:
            return re.fullmatch(r"__cvta_(generic_to_)?(shared|global)\w*", name) is not None
        case kind:
            return kind in dispatch.MEANINGS or kind in barriers_and_votes.MEANINGS


def in_interleaving(name: str, row: Builtin) -> bool:
    match row.kind:
        case Kind.NUMBER:
            return any(_computes(name, type_, n) for type_ in (INT, FLOAT) for n in (1, 2, 3, 4))
        case Kind.NUMBERS:
            return any(numbers.several(name, [1] * n) is not None for n in (1, 2))
        case Kind.VECTOR:
            return row.operation == "make"
        case Kind.SPECIFICATION:
            return row.operation in ("condition", "assert")
        case Kind.NAMED_BARRIER:
            return not row.operation
        case Kind.SHUFFLE | Kind.VOTE:
            return row.masked
        case kind:
            return kind in interleaving.MEANINGS


def _computes(name: str, type_: Type, arguments: int) -> bool:
    try:
        return numbers.arithmetic(name, type_, [1] * arguments) is not None
    except (TypeError, IndexError, ValueError):  # it takes another number of arguments
        return False


@pytest.mark.parametrize("interpreter", [in_a_protocol, in_lockstep, in_interleaving])
def test_every_row_has_a_meaning_or_a_reason(interpreter: Callable[[str, Builtin], bool]):
    which = interpreter.__name__.rpartition("_")[2]
    missing = {name: row.kind for name, row in rows().items() if not interpreter(name, row)}
    wholly = {kind.name for kind in Kind} - {row.kind.name for name, row in rows().items() if name not in missing}
    assert wholly == MEANINGS_MISSING[which].keys()
    partly = [f"{kind.name} {name}" for name, kind in missing.items() if kind.name not in wholly]
    reasons = ROWS_MISSING[which]
    assert sorted(text for text in partly if not any(re.fullmatch(reason, text) for reason in reasons)) == []
    assert [reason for reason in reasons if not any(re.fullmatch(reason, text) for text in partly)] == []
    known = [f"{row.kind.name} {name}" for name, row in rows().items() if name not in missing]
    narrow = [reason for reason in reasons if not reason.endswith(" .*")]
    assert [text for text in sorted(known) if any(re.fullmatch(reason, text) for reason in narrow)] == []


GROUPS = {
    "protocol": set(FUNCTIONS),
    "lockstep": MEANINGS_OF_GROUPS,
    "interleaving": interleaving.GROUP_MEANINGS,
}


@pytest.mark.parametrize("interpreter", GROUPS)
def test_every_function_of_groups_has_a_meaning_or_a_reason(interpreter: str):
    reasons, known = GROUPS_MISSING[interpreter], GROUPS[interpreter]
    missing = {name for reason in reasons for name in FUNCTIONS if re.fullmatch(reason, name)}
    assert missing == FUNCTIONS.keys() - known
    assert [reason for reason in reasons if not any(re.fullmatch(reason, name) for name in missing)] == []


def test_a_wider_scope_covers_what_a_narrower_one_does():
    covered = [{level for level in Level if scope.covers(level)} for scope in Scope]
    assert all(narrow <= wide for narrow, wide in pairwise(covered))
    assert [len(levels) for levels in covered] == [0, 1, 2, 2, 3, 3]
