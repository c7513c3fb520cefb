"""Crash fuzzing: damaged programs must give a report or a message, never a traceback, and in time.

`python -m benchmarks.crash_fuzzing --seed 0 --count 2000` mutates the repository's own examples and test kernels and
runs `hgrd check` on each.  The exit status must be 0, 1 or 2, within a minute; no output may hold a traceback or an
internal error.  What fails is printed with the seed that makes it, and kept in `--keep`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final

ROOT: Final = Path(__file__).parents[1]
_HUGE: Final = (
    *("0x7fffffff", "0x80000000", "4294967295", "1ull << 60", "18446744073709551615ull", "-2147483648", "1000"),
    *(
        "1e308",
        "-1",
        "0",
        "(1u << 31)",
        "9223372036854775807ll",
        "0x1p1023",
        "65536 * 65536",
        "99999999999999999999999",
    ),
)
_TOKENS: Final = (
    "{",
    "}",
    "(",
    ")",
    ";",
    "<<<",
    ">>>",
    "*",
    "&",
    "[",
    "]",
    "::",
    "<",
    ">",
    '"',
    "'",
    "\\",
    "#",
    "/*",
    "//",
)
_WORDS: Final = (
    *("__global__", "__shared__", "__device__", "template <int N>", "__syncthreads();", "goto out;", "return;"),
    *("for (;;)", "while (1)", "if (threadIdx.x)", "asm volatile", "atomicAdd(", "extern", "typedef", "struct S;"),
)


@cache
def programs() -> tuple[Path, ...]:
    """The repository's own programs."""
    folders = ("examples", "tests", "benchmarks")
    return tuple(sorted(file for folder in folders for file in (ROOT / folder).rglob("*.cu")))


# ---------------------------------------------------------------- mutations


def truncated(text: bytes, random: Random) -> bytes:
    return text[: random.randrange(len(text))]


def spliced(text: bytes, random: Random) -> bytes:
    other = random.choice(programs()).read_bytes()
    a, b = sorted(random.randrange(len(text)) for _ in range(2))
    c, d = sorted(random.randrange(len(other)) for _ in range(2))
    return text[:a] + other[c:d] + text[b:]


def random_bytes(text: bytes, random: Random) -> bytes:
    """Some bytes replaced by any others, also NUL and what is no UTF-8."""
    data = bytearray(text)
    for _ in range(random.choice((1, 3, 30, len(data)))):
        data[random.randrange(len(data))] = random.randrange(256)
    return bytes(data)


def lines_moved(text: bytes, random: Random) -> bytes:
    lines = text.split(b"\n")
    for _ in range(random.randint(1, 5)):
        at, to = random.randrange(len(lines)), random.randrange(len(lines))
        match random.randrange(3):
            case 0:
                lines[at], lines[to] = lines[to], lines[at]
            case 1:
                lines[at] = b""
            case _:
                lines[at] = lines[to] * random.choice((1, 2, 50))
    return b"\n".join(lines)


def tokens(text: bytes, random: Random) -> bytes:
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(text))
        put = random.choice((*_TOKENS, *_WORDS)).encode()
        text = text[:at] + put + text[at + random.choice((0, len(put))) :]
    return text


def huge_constants(text: bytes, random: Random) -> bytes:
    """Numbers replaced by huge ones: extents, sizes, shifts, bounds of loops, counts of unrolling."""
    parts, number = [], b""
    for byte in (bytes((b,)) for b in text):
        if byte.isdigit() and (number or not parts or not (parts[-1].isalnum() or parts[-1] in (b"_", b"."))):
            number += byte
            continue
        if number:
            parts.append(random.choice(_HUGE).encode() if random.random() < 0.2 else number)
            number = b""
        parts.append(byte)
    return b"".join(parts) + number


def macros(text: bytes, random: Random) -> bytes:
    """Names defined as something else, and macros that grow at each step."""
    words = re.findall(rb"[A-Za-z_]\w*", text) or [b"x"]
    named = random.choice(words)
    kinds = (
        b"#define " + named + b" " + random.choice(_WORDS + _HUGE).encode() + b"\n",
        b"#define " + named + b" " + named + b" " + named + b"\n",
        b"#define " + named + b"(x) x x\n#define Y " + named + b"(" + named + b"(\n",
        b"#define M0 1 +\n"
        + b"".join(b"#define M%d %s\n" % (n + 1, b"M%d " % n * 8) for n in range(9))
        + b"int m = M9 0;\n",
        b"#if 0\n",
        b"#ifdef X\n#else\n",
        b"#line 2147483647\n",
        b"#define __global__\n",
        b"#undef __CUDA_ARCH__\n#pragma once\n#pragma unroll\n",
    )
    at = text.find(b"\n", random.randrange(len(text))) + 1
    return text[:at] + random.choice(kinds) + text[at:]


def deep(text: bytes, random: Random) -> bytes:
    """A part of a line within many brackets, blocks, loops, operators, pointers or arguments."""
    count = random.choice((10, 50, 250, 600, 1000, 3000))
    opening, closing = random.choice(
        (
            *(("{", "}"), ("(", ")"), ("if (1) {", "}"), ("for (;;) {", "}"), ("for (int i = 0; i < 2; i++) {", "}")),
            *(
                ("1 + ", ""),
                ("-(", ")"),
                ("a[", "]"),
                ("*", ""),
                ("f(", ")"),
                ("switch (n) { case 0: ", "}"),
                ("!", ""),
            ),
            *(("while (n) ", ""), ("n ? 1 : ", ""), ("[&] { ", "}();"), ("A<", ">"), ("do { ", "} while (0);")),
        )
    )
    at = random.choice([n + 1 for n in range(len(text)) if text[n : n + 1] in b";{=("] or [0])
    to = text.find(b";", at) + 1 or len(text)
    return text[:at] + opening.encode() * count + text[at:to] + closing.encode() * count + text[to:]


def long_code(text: bytes, random: Random) -> bytes:
    """A statement many times, in one line or in many."""
    lines = [n for n in text.split(b"\n") if n.rstrip().endswith(b";")] or [b"int x;"]
    line = random.choice(lines)
    more = random.choice((b"", b"\n")).join([line] * random.choice((30, 300, 3000)))
    return text.replace(line, more, 1)


def unfinished(text: bytes, random: Random) -> bytes:
    """Comments, literals and directives without an end; no newline at the end of the file."""
    at = random.randrange(len(text))
    opening = random.choice(
        (b"/*", b'"', b"'", b'R"x(', b"#define X \\", b"#include <", b"#if (", b"\\", b"<<<", b"/**/ //\\")
    )
    return random.choice((text[:at] + opening + text[at:], text.rstrip() + opening))


def includes(text: bytes, random: Random) -> bytes:
    """Files that include themselves, folders, or nothing there is."""
    names = (
        b'"program.cu"',
        b'"."',
        b'"/"',
        b'"/dev/zero"',
        b"__FILE__",
        b'""',
        b"<>",
        b'"' + b"x" * 5000 + b'"',
        b'"no/such.h"',
    )
    return b"#include " + random.choice(names) + b"\n" + text


def recursive(text: bytes, random: Random) -> bytes:
    """Functions, templates, types and constants without end."""
    kinds = (
        b"__host__ __device__ int f(int n) { return n ? f(n - 1) + f(n / 2) : 0; }\nint x = f(30);\n",
        b"template <int N> __device__ int g() { return g<N + 1>(); }\n__device__ int h() { return g<0>(); }\n",
        b"template <int N> struct T { T<N - 1> a, b; }; template <> struct T<0> { int a; };\n__device__ T<300> t;\n",
        b"constexpr int c(int n) { int s = 0; while (n) s += n; return s; }\nconstexpr int q = c(3);\n",
        b"struct R { struct R r; }; __device__ R r;\n",
        b"int main(); int before() { return main(); }\n",
        b"__global__ void again(int *a) { again<<<1, 1>>>(a); a[threadIdx.x] = 1; }\n",
    )
    return random.choice(kinds) + text


def odd_files(text: bytes, random: Random) -> bytes:
    """Hardly a program at all."""
    choices = (
        b"",
        b"\n",
        b"\0" * 100,
        b"\xff\xfe" + text,
        b"\xef\xbb\xbf" + text,
        text.replace(b"\n", b"\r"),
        b"\x1a" * 9,
    )
    return random.choice(
        (*choices, text[:1] * 100_000, random.randbytes(5000), text.decode("utf-8", "replace").encode("utf-16"))
    )


MUTATIONS: Final[Mapping[str, Callable[[bytes, Random], bytes]]] = {
    f.__name__.replace("_", " "): f
    for f in (
        *(truncated, spliced, random_bytes, lines_moved, tokens, huge_constants, macros, deep, long_code, unfinished),
        *(includes, recursive, odd_files),
    )
}


def mutated(seed: int) -> tuple[str, bytes]:
    """The kinds of mutations of a seed (one, now and then two), and the program."""
    random = Random(seed)
    text = random.choice(programs()).read_bytes()
    first = tuple(MUTATIONS)[seed % len(MUTATIONS)]
    kinds = (first, random.choice(tuple(MUTATIONS))) if random.random() < 0.2 else (first,)
    for kind in kinds:
        text = MUTATIONS[kind](text or b"\n", random)
    return " + ".join(kinds), text


# ---------------------------------------------------------------- runs


@dataclass(frozen=True, slots=True)
class Ran:
    """`failure` is "" for a run as it should be."""

    failure: str
    status: int
    seconds: float


def run(text: bytes, timeout: float, hang: float) -> Ran:
    """One run of `hgrd check` on a program, which may take `hang` seconds; `timeout` is for each kernel."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.cu"
        file.write_bytes(text)
        command = [sys.executable, "-m", "hgrd", "check", "--timeout", str(timeout), file.name]
        paths = os.pathsep.join((str(ROOT / "src"), os.environ.get("PYTHONPATH", "")))
        begin = perf_counter()
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": paths},
                capture_output=True,
                timeout=hang,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Ran(f"runs for more than {hang:.0f} s", -1, hang)
        seconds = perf_counter() - begin
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    for line in said.splitlines():
        if "Traceback" in line or "internal error" in line or "RecursionError" in line:
            return Ran(line.strip()[:200], done.returncode, seconds)
    failure = "" if done.returncode in (0, 1, 2) else f"exit status {done.returncode}"
    return Ran(failure, done.returncode, seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds for each kernel")
    parser.add_argument("--hang", type=float, default=60.0, help="seconds after which a run is a failure")
    parser.add_argument("--log", type=Path, help="a file for the counts so far")
    parser.add_argument("--keep", type=Path, help="a folder for the programs that fail")
    given = parser.parse_args()
    statuses: Counter[int] = Counter()
    failed: Counter[str] = Counter()
    slowest = (0.0, given.seed)
    for seed in range(given.seed, given.seed + given.count):
        kind, text = mutated(seed)
        ran = run(text, given.timeout, given.hang)
        statuses[ran.status] += 1
        slowest = max(slowest, (ran.seconds, seed))
        if ran.failure:
            failed[kind] += 1
            print(f"seed {seed} ({kind}): {ran.failure}", flush=True)
            if given.keep:
                given.keep.mkdir(parents=True, exist_ok=True)
                (given.keep / f"{seed}.cu").write_bytes(text)
        if given.log:
            given.log.write_text(_counts(given.seed, statuses, failed, slowest))
    print(_counts(given.seed, statuses, failed, slowest), end="")
    return 1 if failed else 0


def _counts(seed: int, statuses: Counter[int], failed: Counter[str], slowest: tuple[float, int]) -> str:
    by_status = ", ".join(f"{count} with exit status {status}" for status, count in sorted(statuses.items()))
    by_kind = "; ".join(f"{count} of {kind}" for kind, count in failed.most_common()) or "none"
    longest = f"the longest run took {slowest[0]:.0f} s (seed {slowest[1]})"
    return f"{statuses.total()} programs from seed {seed}: {by_status}; failed: {by_kind}; {longest}\n"


if __name__ == "__main__":
    raise SystemExit(main())
