"""Numbers from `std::iota` in a vector of any length, shuffled: no two are equal, unless their type has too few."""

from tests.checking import verdicts

_PROGRAM = """
// VERDICT
__global__ void NAME(int *a, const TYPE *p, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) a[p[k]] = k;  // NAME
}

void run_NAME(int n) {
  int *a;
  TYPE *p;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&p, n * sizeof(TYPE));
  std::vector<TYPE> v(n);
  FILL
  std::shuffle(v.begin(), v.end(), std::mt19937{42});
  cudaMemcpy(p, v.data(), n * sizeof(TYPE), cudaMemcpyHostToDevice);
  NAME<<<(n + 255) / 256, 256>>>(a, p, n);
}
"""
_SAFE = "safe: 1 of 1 pairs"
_REPEATED = "race: write NAME, write NAME; global; warp block grid (unless distinct(p))"
_ALL = "std::iota(v.begin(), v.end(), 0);"


def _program(verdict: str, name: str, fill: str = _ALL, type_: str = "int") -> str:
    text = _PROGRAM.replace("VERDICT", verdict).replace("NAME", name)
    return text.replace("FILL", fill).replace("TYPE", type_)


test_shuffled = verdicts(
    "#include <algorithm>\n#include <numeric>\n#include <random>\n#include <vector>\n"
    + _program(_SAFE, "numbers")
    + _program(_SAFE, "long_numbers", type_="long long")
    + _program(_REPEATED, "small_numbers", type_="unsigned char")
    + _program(_REPEATED, "all_but_one", "std::iota(v.begin(), v.end() - 1, 0);")
    + _program(_REPEATED, "one_again", f"{_ALL} v[0] = 3;")
)

_CHOSEN = """
// VERDICT
__global__ void NAME(int *a, const int *p, int n) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) a[p[k]] = k;  // NAME
}

void run_NAME(int n) {
  int *a, *p;
  std::vector<int> v(n);
  for (int &x : v) x = rand() % 500;
  FILL
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&p, v.size() * sizeof(int));
  cudaMemcpy(p, v.data(), v.size() * sizeof(int), cudaMemcpyHostToDevice);
  NAME<<<(v.size() + 255) / 256, 256>>>(a, p, v.size());
}
"""
_SORT = "std::sort(v.begin(), v.end());"
_ERASE = "v.erase(std::unique(v.begin(), v.end()), v.end());"


def _chosen(verdict: str, name: str, fill: str) -> str:
    return _CHOSEN.replace("VERDICT", verdict).replace("NAME", name).replace("FILL", fill)


test_sorted = verdicts(
    "#include <algorithm>\n#include <vector>\n"
    + _chosen(_SAFE, "each_once", f"{_SORT} {_ERASE}")
    + _chosen(_REPEATED, "not_sorted", _ERASE)
    + _chosen(_REPEATED, "not_erased", f"{_SORT} std::unique(v.begin(), v.end());")
    + _chosen(_REPEATED, "one_appended", f"{_SORT} {_ERASE} v.push_back(3);")
    + _chosen(_REPEATED, "part_sorted", f"std::sort(v.begin(), v.begin() + n / 2); {_ERASE}")
    + _chosen(_REPEATED, "one_changed", f"{_SORT} v[3] = 7; {_ERASE}")
    + _chosen(_REPEATED, "first_erased", f"{_SORT} v.erase(v.begin()); std::unique(v.begin(), v.end());")
)
