"""Offsets that are running sums of counts: segments lie apart if no count is negative."""

from tests.checking import verdicts

KERNEL = """
__global__ void NAME(const int *first, float *data) {
  for (int i = first[blockIdx.x] + threadIdx.x; i < first[blockIdx.x + 1]; i += blockDim.x)
    data[i] = blockIdx.x;  // NAME
}
"""
HOST = """
void run_NAME(int n) {
  std::vector<int> counts(n), offsets(n + 1);
  COUNTS
  SUMS
  int *first;
  float *data;
  cudaMalloc(&first, (n + 1) * sizeof(int));
  cudaMalloc(&data, 1 << 20);
  cudaMemcpy(first, offsets.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
  NAME<<<n, 64>>>(first, data);
}
"""
BY_INDEX = "for (int i = 0; i < n; i++) counts[i] = rand() % 9;"
BY_ELEMENT = "for (int &c : counts) c = 1 + rand() % 9;"
OVER_LAST = "for (int i = 0; i < n; i++) offsets[i + 1] = offsets[i] + counts[i];"
IN_VARIABLE = "int sum = 0; for (int i = 0; i < n; i++) { offsets[i] = sum; sum += counts[i]; } offsets[n] = sum;"
RACE = "race: write NAME, write NAME; global; grid (unless monotone(first))"


def _program(verdict: str, name: str, counts: str, sums: str) -> str:
    texts = f"// {verdict}{KERNEL}{HOST}".replace("COUNTS", counts).replace("SUMS", sums)
    return texts.replace("NAME", name)


SAFE = "safe: 1 of 1 pairs"
test_sums = verdicts(
    "#include <cstdlib>\n#include <vector>\n"
    + _program(SAFE, "by_index", BY_INDEX, OVER_LAST)
    + _program(SAFE, "by_element", BY_ELEMENT, OVER_LAST)
    + _program(SAFE, "in_variable", BY_ELEMENT, IN_VARIABLE)
    + _program(RACE, "negative", BY_INDEX.replace("rand() % 9", "rand() % 9 - 1"), OVER_LAST)
    + _program(RACE, "changed", f"{BY_INDEX} counts[n / 2] = -4;", OVER_LAST)
    + _program(RACE, "beyond", BY_INDEX.replace("i < n", "i < n - 1"), OVER_LAST)
    + _program(RACE, "assigned", f"{BY_INDEX} std::vector<int> less(n, -3); counts = less;", OVER_LAST)
    + _program(RACE, "cut", f"{BY_INDEX} counts.erase(counts.begin()); counts.push_back(-7);", OVER_LAST)
    + _program(RACE, "swapped", f"{BY_INDEX} std::vector<int> less(n, -3); counts.swap(less);", OVER_LAST)
    + _program(RACE, "resized", f"{BY_INDEX} counts.resize(n + 1, -1);", OVER_LAST)
)
