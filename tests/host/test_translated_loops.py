"""Loops of the concrete run that are translated: they do what they do otherwise, and are translated."""

from pathlib import Path

import pytest

from hgrd.host.concrete.run import begin, run_main
from hgrd.host.concrete.state.memory import snapshot
from hgrd.host.concrete.state.values import Cell, Container, Pointer, Value
from hgrd.host.concrete.translated_loops import TranslatedLoop
from hgrd.host.linking.kernel_effects import ModSets
from hgrd.host.linking.link import call_operators
from hgrd.program.linked import link
from hgrd.program.program import Program
from hgrd.program.statements import Declare
from tests.checking import parse

HEAD = """
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>
struct Lcg {
  uint32_t s;
  uint32_t next() { s = s * 1664525u + 1013904223u; return s >> 8; }
  float unit() { return next() * (1.0f / 16777216.0f); }
};
struct Grid {
  int w, h;
  float *cells;
  int at(int x, int y) const { return y * w + x; }
  void set(int x, int y, float v) { cells[at(x, y)] = v; }
};
struct Lists {
  std::vector<int> of, more;
  void add(int i) { for (int k = 0; k < 40; k++) more.emplace_back(i + k); }
};
static unsigned mixed(unsigned x) { x ^= x >> 16; x *= 0x7feb352dU; return x ^ (x >> 15); }
static uint32_t step(uint32_t &s) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; return s; }
static void swap(int &a, int &b) { int t = a; a = b; b = t; }
static void fill(float *to, int n, float v) { for (int i = 0; i < n; ++i) to[i] = v + i; }
int total = 3;
int main(int argc, char **argv) {
  const int n = 100;
  float *raw = new float[n];
  int *idx = new int[n];
  std::vector<float> h(n);
  std::vector<int> v(n), row(n + 1);
  std::vector<uint8_t> bytes(n);
  Grid grid{2, 50, raw};
  Lcg rng{7};
  uint32_t s = 1;
  int c = 0;
"""
FAST = {
    "an index": "for (int i = 0; i < n; ++i) idx[i] = i * i - 50;",
    "remainders and quotients": "for (int i = 0; i < n; ++i) { int k = 40 - i; idx[i] = k % 7 + k / 3 - (k >> 1); }",
    "by variables": "int d = -3; for (int i = 1; i < n; i++) { idx[i] = (i * 7) / d + (50 - i) % (i + d + 90); }",
    "unsigned numbers": "for (unsigned i = 0; i < n; i++) { s = s * 1664525u + i; v[i] = s % 17; idx[i] = (int)s; }",
    "long ones": "uint64_t z = 1; for (int i = 0; i < n; i++) { z = z * 6364136223846793005ULL + 1; v[i] = z >> 40; }",
    "small ones": "for (int i = 0; i < n; i++) { bytes[i] = i * 37; bytes[i] += 200; v[i] = bytes[i] << 3; }",
    "narrow ones": "short q = 0; for (int i = 0; i < n; i++) { q += 1000; signed char b = i * 3; v[i] = q ^ b; }",
    "floats": "for (int i = 0; i < n; ++i) { raw[i] = (float)(i % 17) * 0.1f - 1.0f; h[i] = raw[i] / 3.f; }",
    "doubles": "double d = 0; for (int i = 0; i < n; ++i) { d += 0.1 * i; h[i] = (float)d; v[i] = (int)(d * 3); }",
    "members": "for (int i = 0; i < n; ++i) h[i] = rng.unit() * grid.w - 1.0f;",
    "methods": "for (int y = 0; y < grid.h; ++y) for (int x = 0; x < grid.w; ++x) grid.set(x, y, x - y * 0.5f);",
    "functions": "for (int i = 0; i < n; ++i) v[i] = mixed(i + 3u) % n;",
    "references": "for (int i = 0; i < n; ++i) v[i] = step(s) & 255;",
    "references to elements": "for (int i = 0; i < n; i++) v[i] = i; for (int i = 1; i < n; i++) swap(v[i - 1], v[i]);",
    "pointers": "for (int y = 0; y < 50; y++) { float *r = raw + y * 2; for (int x = 0; x < 2; x++) r[x] = x + y; }",
    "loops in functions": "fill(raw, n, 2.5f); fill(h.data(), 50, 1); fill(&h[50], 50, 2);",
    "elements one by one": "for (auto &one : h) one = (step(s) & 0xffff) / 65536.0f; for (int one : v) c += one + 1;",
    "moving pointers": "for (int *p = idx; p < idx + n; p++) *p = c++;"
    "float *q = raw, *e = raw + n; for (; q != e; ++q) *q = c--;",
    "what went before": "row[0] = 0; for (int i = 0; i < n; i++) row[i + 1] = row[i] + i % 5;",
    "leaving": "for (int i = 0; i < n; i++) { if (i % 7 == 3) continue; v[i] = i; if (i * i > 5000) break; c = i; }",
    "both sides": "for (int i = 0; i < n; i++) {"
    "if (i & 1 && i % 3) c += i; else if (!(i % 5) || i > 90) c -= 2; else c ^= 5; }",
    "one of two": "for (int i = 0; i < n; i++) v[i] = i < 50 ? i * 2 : mixed(i) & 7;",
    "changes inside": "int k = 0; for (int i = 0; i < n; i++) { v[k++] = i; idx[i] = k++ + k; if (k > 90) k = 0; }",
    "steps of two": "for (int i = n - 1, j = 0; i >= 0; i -= 2, j++) v[j] = i;",
    "globals": "for (int i = 0; i < n; i++) { total += i; v[i] = total; }",
    "arrays": "int a[50][8]; for (int i = 0; i < 50; i++) for (int j = 0; j < 8; j++) { a[i][j] = i ^ j; c += i; }"
    "for (int i = 0; i < 80; i++) c += a[i / 4][i % 4];",
    "more elements": "std::vector<int> g; std::vector<float> w; for (int i = 0; i < n; i++) {"
    "for (int k = 0; k < 3; k++) g.push_back(i * k);"
    "w.push_back(rng.unit()); row[i + 1] = (int)g.size(); if (i % 9 == 8) c += g[i] + g.size(); }",
    "more in members": "Lists lists; for (int i = 0; i < n; i++) { lists.add(i); lists.of.push_back(i % 3); }",
    "sizes": "for (size_t i = 0; i != v.size(); i++) v[i] = (int)(v.size() - i);",
    "what is not known": "for (int i = 0; i < n; i++) { float r = rand() / (float)RAND_MAX; h[i] = r;"
    "raw[i] = i < 9 ? 1.f : sinf(i); v[i] = i; }",
    "zeros": "int *z = (int *)calloc(n, 4); for (int i = 0; i < n; i += 2) z[i] = i;"
    "for (int i = 0; i < n; i++) c += z[i];",
}
SLOW = {
    "no meaning": "int big = 2147483600; for (int i = 0; i < n; i++) { v[i] = i; idx[i] = big++; }",
    "elements that nobody has stored": "for (int i = 0; i < n; i++) { v[i] = idx[i]; c += i; }",
    "before the first": "for (int i = 0; i < n; i++) { c += i; idx[50 - i] = c; }",
    "another type": "for (int i = 0; i < n; i++) idx[i] = i; for (int i = 0; i < n; i++) v[i] = ((unsigned *)idx)[i];",
    "tests of what is not known": "for (int i = 0; i < n; i++) { v[i] = 1; if (argc > i) v[i] = 2; }",
    "input": "for (int i = 0; i < n; i++) { v[i] = argc; c += i; }",
    "one member twice": "Lcg &r = rng; for (int i = 0; i < n; i++) { r.s += i; v[i] = rng.s % 1000; }",
    "one object twice": "int *p = &c; for (int i = 0; i < n; i++) { *p = i; c += 2; v[i] = c; }",
}


def held(value: Value, seen: dict[int, int]) -> object:
    """A value in words that are the same for two runs."""
    match value:
        case Pointer(target=target, offset=offset):
            if id(target) in seen:
                return seen[id(target)], offset
            seen[id(target)] = len(seen)
            cells = sorted(snapshot(target).cells.items())
            return (
                target.name,
                offset,
                [(at, cell(c, seen)) for at, c in cells if not (target.zero and c.value == 0)],
                target.zero,
            )
        case Container():
            return value.count, value.width, held(Pointer(value.elements, 0), seen)
        case _:
            return value


def cell(one: Cell, seen: dict[int, int]) -> object:
    return held(one.value, seen), one.type, one.size


def run(program: Program) -> object:
    """What the variables hold when the program has come to its end, or stopped."""
    tables = link((program,))
    hosts = [f for f in tables.functions.values() if f.user_code and f.body is not None]
    machine = begin(tables, call_operators(hosts), ModSets(tables.functions, tables.records), 1e18)
    main = tables.functions["main"]
    ended = run_main(machine, main, ())
    seen: dict[int, int] = {}
    own = {s.variable.key for s in main.body.body if isinstance(s, Declare)} if main.body is not None else set()
    variables = {**machine.statics, **{key: o for key, o in machine.variables.items() if key in own}}
    return ended, {key: held(Pointer(o, 0), seen) for key, o in sorted(variables.items())}


@pytest.mark.parametrize("body", [*FAST.values(), *SLOW.values()], ids=[*FAST, *SLOW])
def test_they_do_what_they_do_otherwise(tmp_path: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = parse(tmp_path, f"{HEAD}{body}\n}}")
    done: list[bool] = []
    fast = TranslatedLoop.run

    def watched(self: TranslatedLoop) -> bool:
        done.append(fast(self))
        return done[-1]

    monkeypatch.setattr(TranslatedLoop, "run", watched)
    found = run(program)
    monkeypatch.setattr(TranslatedLoop, "run", lambda _: False)
    assert found == run(program)
    assert done
    assert all(done) is (body in FAST.values())
