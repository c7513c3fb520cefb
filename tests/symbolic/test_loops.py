"""What a loop makes of the variables that it changes, as protocols show it."""

import pytest

from hgrd.protocol.model import Protocol
from tests.checking import printed, protocols

LOOPS = {
    "steady": (
        "for (int i = threadIdx.x; i < n; i += 4) a[i] = 0;",
        """
loop i.iteration# in 0..536870911 when threadIdx.x < n && threadIdx.x + i.iteration# * 4 <= 2147483647
  write global a at (threadIdx.x + i.iteration# * 4) * 4 size 4 when threadIdx.x + i.iteration# * 4 < n
""",
    ),
    "steady_in_a_narrow_type": (
        "for (short i = threadIdx.x; i < n; i += 4) a[i] = 0;",
        """
loop i.iteration# in 0..536870911 when threadIdx.x < n && threadIdx.x + i.iteration# * 4 <= 32767
  write global a at (threadIdx.x + i.iteration# * 4) * 4 size 4 when threadIdx.x + i.iteration# * 4 < n
""",
    ),
    "filling_floats": (
        "float sums[8]; for (int i = 0; i < 8; ++i) { sums[i] = i; a[i] = sums[i] > m; }",
        """
loop i# in 0..7
  write global a at i# * 4 size 4
""",
    ),
    "filling_indexes": (
        "int at[2]; for (int i = 0; i < 2; ++i) { at[i] = 3 * i; a[at[i]] = 0; }",
        """
write global a at 0 size 4
write global a at 12 size 4
""",
    ),
    "downward": (
        "for (int i = n - 1; i >= 0; --i) a[i] = 0;",
        """
loop i.iteration# in 0..2147483646 when 0 <= n - 1 && -2147483648 <= n - 1 + i.iteration# * -1
  write global a at (n - 1 + i.iteration# * -1) * 4 size 4 when 0 <= n - 1 + i.iteration# * -1
""",
    ),
    "doubling": (
        "for (int s = 1; s < 256; s *= 2) a[s] = 0; a[n] = 1;",
        """
loop s.iteration# in 0..7
  write global a at (1 << s.iteration#) * 4 size 4
write global a at n * 4 size 4
""",
    ),
    "doubling_to_no_constant": (
        "for (int s = 1; s < n; s *= 2) a[s] = 0;",
        """
loop s.iteration# in 0..64 when 1 < n && 1 << s.iteration# <= 2147483647
  write global a at (1 << s.iteration#) * 4 size 4 when 1 << s.iteration# < n
""",
    ),
    "halving": (
        "for (unsigned s = m / 2; s > 0; s >>= 1) a[s] = 0;",
        """
loop s.iteration# in 0..30 when 0 < m / 2
  write global a at (m / 2 >> s.iteration#) * 4 size 4 when 0 < m / 2 >> s.iteration#
""",
    ),
    "halving_what_was_doubled": (
        "int s = 1; for (int i = 0; i < n; ++i) s *= 2; for (int i = 0; i < n; ++i) { s >>= 1; a[s] = 0; }",
        """
loop i#'2 in 0..64 when 0 < n
  write global a at (1 << i#end >> i#'2 >> 1) * 4 size 4 when i#'2 < n && n <= i#end && (i#end <= 0 || i#end - 1 < n)
""",
    ),
    "dividing_what_may_be_negative": (
        "for (int i = 0, s = n; i < 9; ++i) { s /= 2; a[s] = 0; }",
        """
loop i# in 0..8
  write global a at s / 2 * 4 size 4
""",
    ),
    "flipping": (
        "for (int i = 0, k = 0; i < n; ++i) { a[k] = 0; k = 1 - k; }",
        """
loop i# in 0..2147483646 when 0 < n
  write global a at i# % 2 * 4 size 4 when i# < n
""",
    ),
    "drifting": (
        "for (int i = 0, k = 0; i < n; ++i) if (b[i] > 0) a[k++] = i;",
        """
loop i# in 0..2147483646 when 0 < n
  read global b at i# * 4 size 4 when i# < n
  write global a at k * 4 size 4 when i# < n && 0 < b[i#]
""",
    ),
    "unpredictable": (
        "for (int i = 0, k = 0; i < n; ++i) { a[k] = i; k = b[k]; }",
        """
loop i# in 0..2147483646 when 0 < n
  write global a at k * 4 size 4 when i# < n
  read global b at k * 4 size 4 when i# < n
""",
    ),
    "nested": (
        "for (int i = 0; i < n; ++i) for (int j = i; j < m; ++j) a[i * m + j] = 0;",
        """
loop i# in 0..2147483646 when 0 < n
  loop j.iteration# in 0..2147483647 when i# < n && i# < m && i# + j.iteration# <= 2147483647
    write global a at (i# * m + i# + j.iteration#) * 4 size 4 when i# + j.iteration# < m
""",
    ),
    "carried_through_an_inner_loop": (
        "for (int i = 0, k = 0; i < n; ++i) for (int j = 0; j < 4; ++j) a[k++] = 0;",
        """
loop i# in 0..2147483646 when 0 < n
  loop j# in 0..3 when i# < n
    write global a at (i# * 4 + j#) * 4 size 4
""",
    ),
    "value_behind": (
        "int i = 3; while (i < n) i += 2; a[i] = 0;",
        "write global a at (i.iteration#end * 2 + 3) * 4 size 4 when n <= i.iteration#end * 2 + 3"
        " && (i.iteration#end <= 0 || (i.iteration#end - 1) * 2 + 3 < n)",
    ),
    "value_behind_a_constant_loop": (
        "int k = 0; for (int i = 0; i < 10; ++i) k += 3; a[k] = 0;",
        "write global a at 120 size 4",
    ),
    "left_by_break": (
        "int i; for (i = 0; i < n; ++i) if (b[i] == 7) break; a[i] = 0;",
        """
loop i# in 0..2147483646 when 0 < n
  read global b at i# * 4 size 4 when i# < n
write global a at i#end * 4 size 4 when i#end <= 0 || i#end - 1 < n
""",
    ),
    "continued": (
        "for (int i = 0; i < n; ++i) { if (i % 2) continue; a[i] = 0; }",
        """
loop i# in 0..2147483646 when 0 < n
  write global a at i# * 4 size 4 when i# < n && i# % 2 == 0
""",
    ),
    "endless": (
        "int i = 0; while (true) { if (b[i] == 0) break; a[i] = 0; ++i; }",
        """
loop i# in 0..2147483647
  read global b at i# * 4 size 4
  write global a at i# * 4 size 4 when b[i#] != 0
""",
    ),
    "left_by_return": (
        "for (int i = 0; i < n; ++i) { if (b[i]) return; a[i] = 0; } a[n] = 1;",
        """
loop i# in 0..2147483646 when 0 < n
  read global b at i# * 4 size 4 when i# < n
  exit when i# < n && b[i#] != 0
  write global a at i# * 4 size 4 when i# < n && b[i#] == 0
write global a at n * 4 size 4 when n <= i#end && (i#end <= 0 || i#end - 1 < n)
""",
    ),
    "never_entered": (
        "for (int i = 0; i < 0; ++i) a[i] = 0; a[1] = 0;",
        "write global a at 4 size 4",
    ),
    "tested_behind": (
        "int i = 0; do { a[i] = 0; i += 2; } while (i < n);",
        """
loop i.iteration# in 0..1073741823 when i.iteration# == 0 || i.iteration# * 2 < n
  write global a at i.iteration# * 8 size 4
""",
    ),
    "counted_by_the_test_behind": (
        "int i = 0; do a[i] = 0; while (++i < n);",
        """
loop i# in 0..2147483646 when i# == 0 || i# < n
  write global a at i# * 4 size 4
""",
    ),
    "counted_by_the_test_with_data": (
        "int i = 0; do a[i] = 0; while (b[i++] > 7);",
        """
loop i# in 0..2147483647 when i# == 0 || 7 < b[i# - 1]
  write global a at i# * 4 size 4
  read global b at i# * 4 size 4
""",
    ),
    "counted_down_by_the_test": (
        "while (m-- > 0) a[m] = 0; a[m] = 1;",
        """
loop m.iteration# in 0..2147483647 when 0 < m && 0 <= m + m.iteration# * -1
  write global a at (m + m.iteration# * -1 - 1) * 4 size 4 when 0 < m + m.iteration# * -1
write global a at (m + m.iteration#end * -1 - 1) * 4 size 4 when m + m.iteration#end * -1 <= 0"""
        " && (m.iteration#end <= 0 || 0 < m + (m.iteration#end - 1) * -1)\n",
    ),
    "done_once": (
        "do { a[n] = 0; if (n > 3) break; a[m] = 1; } while (0); a[1] = 0;",
        """
write global a at n * 4 size 4
write global a at m * 4 size 4 when n <= 3
write global a at 4 size 4
""",
    ),
    "local_array_filled": (
        "int at[3] = {4, 5, 6}; for (int k = 0; k < 3; ++k) at[k] += k; a[at[2]] = 0; a[at[0]] = 0;",
        """
write global a at 32 size 4
write global a at 16 size 4
""",
    ),
    "local_array_read": (
        "int at[2] = {4, 7}; for (int k = 0; k < 2; ++k) a[at[k]] = 0;",
        """
loop k# in 0..1
  write global a at (k# * 4 == 0 ? 4 : 7) * 4 size 4
""",
    ),
    "set_to_what_it_was": (
        "int x = 3; for (int i = 0; i < n; ++i) { a[x] = i; if (b[i] > 0) x = 3; }",
        """
loop i# in 0..2147483646 when 0 < n
  write global a at 12 size 4 when i# < n
  read global b at i# * 4 size 4 when i# < n
""",
    ),
    "set_to_something_else": (
        "int x = 3; for (int i = 0; i < n; ++i) { a[x] = i; if (b[i] > 0) x = 4; }",
        """
loop i# in 0..2147483646 when 0 < n
  write global a at x * 4 size 4 when i# < n
  read global b at i# * 4 size 4 when i# < n
""",
    ),
    "pointer": (
        "int *p = a, *end = a + n; while (p < end) *p++ = 0;",
        """
loop p.iteration# in 0..2147483646 when 0 < n * 4
  write global a at p.iteration# * 4 size 4 when p.iteration# * 4 < n * 4
""",
    ),
    "pointers_that_change_places": (
        "for (int i = 0; i < n; ++i) { c[i] = 0; int *t = a; a = c; c = t; }",
        """
loop i# in 0..2147483646 when 0 < n
  write global c at i# * 4 size 4 when i# < n && i# % 2 == 0
  write global a at i# * 4 size 4 when i# < n && i# % 2 != 0
""",
    ),
}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Protocol]:
    parameters = "int *a, const int *b, int *c, int n, unsigned m"
    source = "\n".join(f"__global__ void {name}({parameters}) {{ {body} }}" for name, (body, _) in LOOPS.items())
    return protocols(tmp_path_factory.mktemp("loops"), source)


@pytest.mark.parametrize("name", LOOPS)
def test_loop(kernels: dict[str, Protocol], name: str):
    assert printed(kernels[name]) == LOOPS[name][1].strip()
