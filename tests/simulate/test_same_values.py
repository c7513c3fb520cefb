"""The executor and the interleaving interpreter compute the same values: the language beyond integers in variables."""

from pathlib import Path

import numpy as np
import pytest

from tests.checking import parse
from tests.simulate import dynamic
from tests.simulate.running import run

HEAD = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
struct Mixed { unsigned x : 3; int y : 5; unsigned z : 24; };
struct Truths { bool x : 1, y : 1; unsigned long long z : 40; };
struct Made { int u; __device__ Made(int i) : u(i * 2) {} };
struct Pair { int u, v; };
struct Link { Link *next; int v; };
__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ void operator*=(float4 &a, float f) { a.x *= f, a.y *= f, a.z *= f, a.w *= f; }
"""

BODIES = {
    "bit-fields of a variable": "Mixed m; m.x = t, m.y = t - 3, m.z = t * 9; m.x++, m.y += 2, --m.z;"
    " out[t] = m.x + 100 * m.y + 10000 * m.z;",
    "bit-fields in memory": "Mixed *m = (Mixed *)a; m[t].x = t, m[t].y = t - 3; int v = (m[t].z = 1 << 23);"
    " out[t] = m[t].x + 100 * m[t].y + v / 1000;",
    "values of assignments to bit-fields": "Mixed m; out[t] = (m.x = t) + 100 * (m.y = t) + (m.y++) * 1000;",
    "bit-fields of other types": "Truths w{}; w.x = t & 1, w.y = !w.x, w.z = t * 9ll << 33;"
    " out[t] = w.x + w.y * 2 + w.z;",
    "new arrays": "int *p = new int[t + 1]; p[t] = t; out[t] = p[t]; delete[] p;",
    "new zeros": "int *p = new int[4]{}; p[1] = t; out[t] = p[1] + p[0]; delete[] p;",
    "new numbers": "int *p = new int(5); out[t] = *p + t; delete p;",
    "new objects": "Made *p = new Made(t); Pair *q = new Pair{t, 3}; out[t] = p->u + q->u + q->v; delete p; delete q;",
    "malloc": "if (t % 2) { double *p = (double *)malloc(16); p[1] = t; out[t] = p[1]; free(p); }",
    "lists": "Link *head = nullptr; for (int i = 0; i < t % 4; ++i) { Link *made = new Link; made->next = head;"
    " made->v = i + t; head = made; } int s = 0; while (head) { s = s * 100 + head->v; Link *gone = head;"
    " head = head->next; delete gone; } out[t] = s;",
    "operators of vectors": "float4 v = make_float4(f[t], 1, 2, 3); v = v + v; v *= 3; out[t] = v.x + v.w;",
    "vectors in memory": "float4 v = ((float4 *)f)[t % 4]; ((float4 *)f)[t % 4 + 4] = v; out[t] = v.y;",
    "copies of bytes": "int s[4]; memset(s, 1, 16); memcpy(s, a + t, 8); out[t] = s[0] + s[1] + s[3];",
    "clocks": "out[t] = t + (clock() < 0) + (clock64() > 1 << 20) + (__globaltimer() == 3);",
    "aligned arrays": "alignas(16) int s[4] = {1, 2, 3, 4}; out[t] = s[t % 4];",
}


def both(folder: Path, body: str) -> tuple[np.ndarray, np.ndarray]:
    """What the executor and the interpreter leave in `out`, by a block of 32 threads."""
    text = f"{HEAD}__global__ void k(float *f, int *a, double *out) {{ int t = threadIdx.x; {body} }}"
    floats, integers = np.arange(1, 65, dtype=np.float32) / 4, np.arange(1, 449, 7, dtype=np.int32)
    ours, theirs = np.zeros(64), np.zeros(64)
    run(folder, text, 1, 32, floats.copy(), integers.copy(), ours)
    execution = dynamic.ran(dynamic.launch(parse(folder, text), 1, 32, floats, integers, theirs))
    return ours, execution.contents(theirs)


@pytest.mark.parametrize("name", BODIES)
def test_both_compute_the_same(tmp_path: Path, name: str):
    ours, theirs = both(tmp_path, BODIES[name])
    assert ours.any()
    assert ours.tolist() == theirs.tolist()
