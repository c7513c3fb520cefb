"""Vectors that loops fill by `push_back`: what is known of their elements, and the twins of which nothing is."""

from tests.checking import verdicts

_SAFE = "safe: 1 of 1 pairs"
_REPEATED = "race: write NAME, write NAME; global; warp block grid (unless distinct(d))"
_MIXED = "race: write NAME, write NAME; global; warp block grid (unless monotone(d))"
_LISTED = """
__global__ void NAME(int *a, const int *list, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) a[list[k]] = k;  // NAME
}

void run_NAME(int n) {
  int *a, *d;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&d, 1 << 16);
  std::vector<int> list;
  FILL
  cudaMemcpy(d, list.data(), list.size() * sizeof(int), cudaMemcpyHostToDevice);
  NAME<<<(list.size() + 255) / 256, 256>>>(a, d, list.size());
}
"""
_ROWS = """
__global__ void NAME(int *a, const int *begin, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n)
    for (int k = begin[r]; k < begin[r + 1]; k++) a[k] = r;  // NAME
}

void run_NAME(int n) {
  int *a, *d;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&d, 1 << 16);
  std::vector<int> list, begin;
  int sum = 0;
  FILL
  cudaMemcpy(d, begin.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  NAME<<<(n + 255) / 256, 256>>>(a, d, n);
}
"""


def _program(verdict: str, program: str, name: str, fill: str) -> str:
    return f"// {verdict}{program}".replace("NAME", name).replace("FILL", fill)


def _listed(verdict: str, name: str, fill: str) -> str:
    return _program(verdict, _LISTED, name, fill)


def _rows(verdict: str, name: str, fill: str) -> str:
    return _program(verdict, _ROWS, name, fill)


_COUNTING = "for (int i = 0; i < n; i++) list.push_back(i);"
test_listed = verdicts(
    "#include <vector>\n"
    + _listed(_SAFE, "multiples", "for (int i = 0; i < n; i++) list.push_back(3 * i);")
    + _listed(_SAFE, "emplaced", "for (int i = 0; i < n; i++) list.emplace_back(3 * i);")
    + _listed(_REPEATED, "halves", "for (int i = 0; i < n; i++) list.push_back(i / 2);")
    + _listed(_SAFE, "cleared", f"list.push_back(3); list.clear(); {_COUNTING}")
    + _listed(_REPEATED, "not_cleared", f"list.push_back(3); {_COUNTING}")
    + _listed(_SAFE, "one_before", "list.push_back(0); for (int i = 1; i < n; i++) list.push_back(i);")
    + _listed(_REPEATED, "another_before", "list.push_back(2); for (int i = 1; i < n; i++) list.push_back(i);")
    + _listed(_REPEATED, "another_behind", f"{_COUNTING} list.push_back(3);")
    + _listed(_REPEATED, "put_in", f"{_COUNTING} list.insert(list.begin(), 3);")
)

_SIZES = "begin.push_back(0); for (int i = 0; i < n; i++) { if (i > 0) list.push_back(i); list.push_back(i); BEGIN }"
test_rows = verdicts(
    "#include <vector>\n"
    + _rows(_SAFE, "sums", "for (int i = 0; i <= n; i++) { begin.push_back(sum); sum += rand() % 8; }")
    + _rows(_MIXED, "falling", "for (int i = 0; i <= n; i++) { begin.push_back(sum); sum += rand() % 8 - 1; }")
    + _rows(_SAFE, "sums_behind", "for (int i = 0; i <= n; i++) { sum += rand() % 8; begin.push_back(sum); }")
    + _rows(
        _MIXED,
        "of_two_numbers",
        "for (int i = 0; i <= n; i++) { int more = rand() % 8; begin.push_back(sum - more); sum += more; }",
    )
    + _rows(
        _SAFE,
        "over_the_last",
        "begin.push_back(0); for (int i = 0; i < n; i++) begin.push_back(begin.back() + rand() % 8);",
    )
    + _rows(
        _MIXED,
        "falling_over_the_last",
        "begin.push_back(0); for (int i = 0; i < n; i++) begin.push_back(begin.back() + rand() % 8 - 1);",
    )
    + _rows(_SAFE, "sizes", _SIZES.replace("BEGIN", "begin.push_back((int)list.size());"))
    + _rows(_MIXED.replace("warp ", ""), "cut_sizes", _SIZES.replace("BEGIN", "begin.push_back((char)list.size());"))
    + _rows(_MIXED, "but_for_one", _SIZES.replace("BEGIN", "begin.push_back((int)list.size() - 3 * (i == 7));"))
)

_UNKNOWN = "open: write NAME, write NAME; global; warp block grid: it depends on values that are not known: list"
_GRID = "for (int j = 1; j < n; j++) for (int i = 1; i < 63; i++)"
_SOME_SUMS = """
  for (int i = 0; i < n; i++) {
    if (rand() % 2) begin.push_back(sum);
    sum += MORE;
  }
  n = (int)begin.size() - 1;
"""
test_parts = verdicts(
    "#include <vector>\n"
    + _listed(_SAFE, "some", "for (int i = 0; i < n; i++) if (rand() % 3) list.push_back(i);")
    + _listed(_UNKNOWN, "halves_of_some", "for (int i = 0; i < n; i++) if (rand() % 3) list.push_back(i / 2);")
    + _listed(_SAFE, "others_left_out", "for (int i = 0; i < n; i++) { if (rand() % 3) continue; list.push_back(i); }")
    + _listed(_SAFE, "two_tests", "for (int i = 0; i < n; i++) if (i % 3) if (rand() % 2) list.push_back(2 * i);")
    + _listed(
        _UNKNOWN,
        "two_at_a_time",
        "for (int i = 0; i < n; i++) if (rand() % 3) { list.push_back(i); list.push_back(i + 1); }",
    )
    + _listed(
        _UNKNOWN,
        "one_changed",
        "for (int i = 0; i < n; i++) { if (rand() % 3) list.push_back(i); if (i == 20) list[2] = 3; }",
    )
    + _listed(
        _UNKNOWN,
        "last_removed",
        "for (int i = 0; i < n; i++) { if (rand() % 3) list.push_back(i); if (i == 20) list.pop_back(); }",
    )
    + _listed(_SAFE, "grid", f"{_GRID} list.push_back(j * 64 + i);")
    + _listed(_REPEATED, "rows_that_overlap", f"{_GRID} list.push_back(j * 60 + i);")
    + _listed(_SAFE, "rows_of_any_length", "int m = 2 * n;" + _GRID.replace("63", "m") + " list.push_back(j * m + i);")
    + _listed(_SAFE, "every_other", f"{_GRID} if ((i + j) % 2 == 0) list.push_back(j * 64 + i);")
    + _listed(
        _SAFE, "some_rows", _GRID.replace(" for (int i", " if (rand() % 2) for (int i") + "list.push_back(j * 64 + i);"
    )
    + _listed(
        _SAFE, "triangle", "for (int j = 0; j < 99; j++) for (int i = j; i < 99; i++) list.push_back(j * 99 + i);"
    )
    + _listed(_SAFE, "cube", f"for (int k = 0; k < n; k++) {_GRID} list.push_back((k * n + j) * 64 + i);")
    + _listed(_UNKNOWN, "flat_cube", f"for (int k = 0; k < n; k++) {_GRID} list.push_back((k + j) * 64 + i);")
    + _listed(
        _UNKNOWN, "rows_begin_twice", _GRID + "{ if (i == 1) list.push_back(j * 64 + 1); list.push_back(j * 64 + i); }"
    )
    + _rows(_SAFE, "some_sums", _SOME_SUMS.replace("MORE", "rand() % 8"))
    + _rows(_UNKNOWN.replace("list", "begin"), "some_falling_sums", _SOME_SUMS.replace("MORE", "rand() % 8 - 1"))
)

_COUNTED = """
__global__ void NAME(int *a, const int *list, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) a[list[k]] = k;  // NAME
}

void run_NAME(int n) {
  int *a, *d, m = 0;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&d, 1 << 16);
  std::vector<int> list(2 * n);
  FILL
  cudaMemcpy(d, list.data(), m * sizeof(int), cudaMemcpyHostToDevice);
  NAME<<<(m + 255) / 256, 256>>>(a, d, m);
}
"""
test_counted = verdicts(
    "#include <utility>\n#include <vector>\n"
    + _program(_SAFE, _COUNTED, "counted", "for (int i = 0; i < n; i++) if (rand() % 3) list[m++] = i;")
    + _program(
        _UNKNOWN.replace("list", "m"),
        _COUNTED,
        "with_holes",
        "for (int i = 0; i < n; i++) if (rand() % 3) { list[m] = i; m += 2; }",
    )
    + _program(
        _UNKNOWN.replace("list", "m"),
        _COUNTED,
        "counts_others",
        "for (int i = 0; i < n; i++) { if (i % 3) list[m] = i; if (i % 2) m++; }",
    )
)

_SORTED = """
__global__ void NAME(int *a, const int *list, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) a[list[k]] = k;  // NAME
}

void run_NAME() {
  const int n = 1000;
  int *a, *d, list[n];
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&d, 1 << 16);
  for (int i = 0; i < n; i++) list[i] = i;
  for (int i = 1; i < n; i++) {
    FILL
  }
  cudaMemcpy(d, list, n * sizeof(int), cudaMemcpyHostToDevice);
  NAME<<<(n + 255) / 256, 256>>>(a, d, n);
}
"""
test_sorted = verdicts(
    "#include <utility>\n"
    + _program(_SAFE, _SORTED, "swapped", "if (list[i] < list[i - 1]) std::swap(list[i - 1], list[i]);")
    + _program(_REPEATED, _SORTED, "copied", "if (list[i] < list[i - 1]) list[i - 1] = list[i];")
    + _program(
        _REPEATED,
        _SORTED,
        "half_swapped",
        "int v = list[i], w = list[i - 1]; if (rand() % 2) list[i] = w; if (rand() % 3) list[i - 1] = v;",
    )
)

_ROUNDS = """
__global__ void NAME(int *a, const int *list, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) a[list[k]] = k;  // NAME
}

void run_NAME(int n, int rounds) {
  int *a, *d;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&d, 1 << 16);
  std::vector<int> list;
  for (int r = 0; r < rounds; r++) {
    FILL
    cudaMemcpy(d, list.data(), list.size() * sizeof(int), cudaMemcpyHostToDevice);
    NAME<<<(list.size() + 255) / 256, 256>>>(a, d, list.size());
  }
}
"""
_OPEN = "open: write NAME, write NAME; global; warp block grid: it depends on values that are not known: list"
test_rounds = verdicts(
    "#include <vector>\n"
    + _program(_SAFE, _ROUNDS, "cleared_each_time", f"list.clear(); {_COUNTING}")
    + _program(_OPEN, _ROUNDS, "grows_each_time", _COUNTING)
)


def _parts(verdict: str, kernel: str, threads: int) -> str:
    """A kernel of which each block has a part of 64 elements."""
    return f"""
#include <vector>

{verdict}
__global__ void {kernel}(float **parts) {{
  parts[blockIdx.x][threadIdx.x] += 1;  // part
}}

int main(int, char **values) {{
  int n = atoi(values[1]);
  float *all, **d;
  cudaMalloc(&all, 1 << 20);
  cudaMalloc(&d, n * sizeof(float *));
  std::vector<float *> parts;
  for (int i = 0; i < n; i++) parts.push_back(all + i * 64);
  cudaMemcpy(d, parts.data(), n * sizeof(float *), cudaMemcpyHostToDevice);
  {kernel}<<<n, {threads}>>>(d);
}}
"""


test_pointers = verdicts(_parts("// safe: 2 of 2 pairs", "each_its_own", 64))
test_pointers_to_parts_that_overlap = verdicts(
    _parts(
        "// race: read part, write part; global; grid (data-dependent)\n"
        "// race: write part, write part; global; grid (data-dependent)",
        "shared_with_the_next",
        65,
    )
)
