"""Values that paths, calls, pointers and records lead to, as protocols show them."""

import pytest

from hgrd.protocol.model import Protocol
from tests.checking import printed, protocols

FUNCTIONS = """
struct Pair { int first, second; };
struct Cell { Pair at; int *data; };

__device__ int sign(int i) {
  if (i < 0) return -1;
  if (i > 0) return 1;
  return 0;
}
__device__ int absolute(int i) {
  if (i < 0) i = -i;
  return i;
}
__device__ void store(int *p, int i) { p[i] = i; }
__device__ void increment(int &i) { ++i; }
__device__ Pair swapped(Pair p) { return {p.second, p.first}; }
__device__ int *either(int *a, int *c, int n) { return n > 2 ? a + 1 : c; }
__device__ void nothing_beyond(int n) {
  if (n > 9) return;
  n = 0;
}
__device__ int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
template <typename T, int N> __device__ T *shifted(T *p) { return p + N; }
"""

CASES = {
    "joined": (
        "int i = 0; if (n > 3) i = 1; a[i] = 0;",
        "write global a at (3 < n ? 1 : 0) * 4 size 4",
    ),
    "joined_with_else": (
        "int i; if (n > 3) i = m; else i = n; a[i] = 0;",
        "write global a at (3 < n ? m : n) * 4 size 4",
    ),
    "nothing_to_join": (
        "int i = n; if (m > 3) a[i] = 0; else a[i] = 1; a[i] = 2;",
        """
write global a at n * 4 size 4 when 3 < m
write global a at n * 4 size 4 when m <= 3
write global a at n * 4 size 4
""",
    ),
    "guards_nest": (
        "if (n > 3) { if (m < 2) a[0] = 0; a[1] = 0; }",
        """
write global a at 0 size 4 when 3 < n && m < 2
write global a at 4 size 4 when 3 < n
""",
    ),
    "guards_contradict": (
        "if (n > 3) { if (n > 3) a[0] = 0; else a[1] = 0; }",
        "write global a at 0 size 4 when 3 < n",
    ),
    "early_return": (
        "if (n > 3) return; a[0] = 0;",
        """
exit when 3 < n
write global a at 0 size 4 when n <= 3
""",
    ),
    "short_circuit": (
        "if (n > 0 && b[n] == 1) a[0] = 0;",
        """
read global b at n * 4 size 4 when 0 < n
write global a at 0 size 4 when 0 < n && b[n] == 1
""",
    ),
    "conditional": (
        "a[0] = n > 3 ? b[1] : b[2];",
        """
read global b at 4 size 4 when 3 < n
read global b at 8 size 4 when n <= 3
write global a at 0 size 4
""",
    ),
    "several_returns": (
        "a[sign(n) + 1] = 0;",
        "write global a at ((n < 0 || 0 < n ? (n < 0 ? -1 : 1) : 0) + 1) * 4 size 4",
    ),
    "changed_parameter": (
        "a[absolute(n)] = 0; a[n] = 0;",
        """
write global a at (n < 0 ? 0 - n : n) * 4 size 4
write global a at n * 4 size 4
""",
    ),
    "return_behind_a_call": (
        "nothing_beyond(n); a[n] = 0;",
        "write global a at n * 4 size 4",
    ),
    "pointer_argument": (
        "store(a + 2, n);",
        "write global a at n * 4 + 8 size 4",
    ),
    "reference_argument": (
        "int i = n; increment(i); increment(i); a[i] = 0;",
        "write global a at (n + 1 + 1) * 4 size 4",
    ),
    "recursion_is_not_followed_to_the_end": (
        "a[factorial(n)] = 0;",
        """
not understood when 1 < n && 1 < n - 1: a call of factorial, which calls itself too often
write global a at (n <= 1 ? 1 : n * (n - 1 <= 1 ? 1 : (n - 1) * factorial())) * 4 size 4
gap: a call of factorial, which calls itself too often
""",
    ),
    "recursion_on_constants": (
        "a[factorial(3)] = 0;",
        "write global a at 24 size 4",
    ),
    "instance_of_a_template": (
        "*shifted<int, 5>(a) = 0;",
        "write global a at 20 size 4",
    ),
    "choice_of_pointers": (
        "int *p = n > 2 ? a : c; p[m] = 0;",
        """
write global a at m * 4 size 4 when 2 < n
write global c at m * 4 size 4 when n <= 2
""",
    ),
    "choice_within_an_array": (
        "int *p = n > 2 ? a + 1 : a; *p = 0;",
        "write global a at (2 < n ? 4 : 0) size 4",
    ),
    "choice_from_a_call": (
        "*either(a, c, n) = 0;",
        """
write global a at 4 size 4 when 2 < n
write global c at 0 size 4 when n <= 2
""",
    ),
    "choice_of_local_variables": (
        "int x = 1, y = 2; int *p = n > 2 ? &x : &y; *p = 7; a[x] = 0; a[y] = 0;",
        """
write global a at (2 < n ? 7 : 1) * 4 size 4
write global a at (2 < n ? 2 : 7) * 4 size 4
""",
    ),
    "record": (
        "Pair p = {n, m}; Pair q = swapped(p); a[q.first] = 0; a[q.second] = 0;",
        """
write global a at m * 4 size 4
write global a at n * 4 size 4
""",
    ),
    "record_joined": (
        "Pair p = {1, 2}; if (n > 2) p.first = 5; a[p.first] = 0; a[p.second] = 0;",
        """
write global a at (2 < n ? 5 : 1) * 4 size 4
write global a at 8 size 4
""",
    ),
    "record_in_a_record": (
        "Cell k; k.data = a; k.at = {n, m}; Cell other = k; other.data[other.at.second] = 0;",
        "write global a at m * 4 size 4",
    ),
    "record_from_memory": (
        "Pair p = d[n]; a[p.second] = 0;",
        """
read global d at n * 8 size 8
write global a at d[n * 2 + 1] * 4 size 4
""",
    ),
    "array_of_records": (
        "d[n].second = 1;",
        "write global d at n * 8 + 4 size 4",
    ),
    "address_of_a_local": (
        "int i = n; int *p = &i; *p += 2; a[i] = 0;",
        "write global a at (n + 2) * 4 size 4",
    ),
    "narrow": (
        "unsigned char i = n; a[i] = 0;",
        "write global a at u8!(n) * 4 size 4",
    ),
    "rounded_up": (
        "a[(int)ceil(n / 4.0f)] = 0;",
        "write global a at (0 <= n ? (n + 3) / 4 : n / 4) * 4 size 4",
    ),
    "switched": (
        "switch (n) { case 1: a[1] = 0; case 2: case 3: a[2] = 0; break; default: a[3] = 0; } a[4] = 0;",
        """
write global a at 4 size 4 when n == 1
write global a at 8 size 4 when n == 1 || n == 2 || n == 3
write global a at 12 size 4 when n != 1 && n != 2 && n != 3
write global a at 16 size 4
""",
    ),
    "lambda": (
        "int i = n; auto put = [&, k = m](int j) { a[i + j] = k; ++i; }; put(2); put(3);",
        """
write global a at (n + 2) * 4 size 4
write global a at (n + 1 + 3) * 4 size 4
""",
    ),
    "order_of_an_update": (
        "a[0] += b[1];",
        """
read global b at 4 size 4
read global a at 0 size 4
write global a at 0 size 4
""",
    ),
}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Protocol]:
    parameters = "int *a, const int *b, int *c, Pair *d, int n, int m"
    bodies = [f"__global__ void {name}({parameters}) {{ {body} }}" for name, (body, _) in CASES.items()]
    return protocols(tmp_path_factory.mktemp("values"), FUNCTIONS + "\n".join(bodies))


@pytest.mark.parametrize("name", CASES)
def test_value(kernels: dict[str, Protocol], name: str):
    assert printed(kernels[name]) == CASES[name][1].strip()
