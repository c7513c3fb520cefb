"""Numbers that the host computes for each other and hands to kernels: strides above widths, begins of parts.

The twins read the same numbers from a file: these may be any.
"""

from tests.checking import verdicts

_COMPUTED = "it depends on values that the program computes"
_PITCHED = """
struct NAME_level { float *at; int w, h; size_t pitch; };

__global__ void NAME(char *at, size_t pitch, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) *((float *)(at + (size_t)y * pitch) + x) = x;  // NAME
}

std::vector<NAME_level> NAME_levels(FILE *from, float *at, int w, int h, int n) {
  std::vector<NAME_level> levels;
  for (int i = 0; i < n; i++) {
    NAME_level level = {at, w >> i, h >> i, 32 * (size_t)((w >> i) / 8 + 1)};
    CHANGE;
    levels.push_back(level);
  }
  return levels;
}

void run_NAME(FILE *from, float *at, int w, int h, int n) {
  const std::vector<NAME_level> levels = NAME_levels(from, at, w, h, n);
  for (size_t i = 0; i < levels.size(); i++)
    NAME<<<dim3((levels[i].w + 31) / 32, (levels[i].h + 7) / 8), dim3(32, 8)>>>(
        (char *)at, levels[i].pitch, levels[i].w, levels[i].h);
}
"""
_BATCH = """
struct NAME_part { size_t begin; int n, stride; };

__global__ void NAME(float *pool, const NAME_part *parts) {
  NAME_part part = parts[blockIdx.x];
  for (int k = threadIdx.x; k < part.n; k += blockDim.x) pool[part.begin + k * part.stride] = k;  // NAME
}

void run_NAME(float *pool, NAME_part *d, FILE *from, int count) {
  std::vector<NAME_part> parts;
  size_t begin = 0;
  for (int i = 0; i < count; i++) {
    NAME_part part = {begin, 3 + i % 7, 1 + i % 3};
    CHANGE;
    parts.push_back(part);
    begin += part.n * part.stride;
  }
  cudaMemcpy(d, parts.data(), parts.size() * sizeof(NAME_part), cudaMemcpyHostToDevice);
  NAME<<<count, 64>>>(pool, d);
}
"""
_READ = "fread(&{0}, sizeof {0}, 1, from)"


def _program(verdict: str, program: str, name: str, change: str) -> str:
    return f"// {verdict}{program}".replace("NAME", name).replace("CHANGE", change)


_WRITES = "write NAME, write NAME; global; LEVELS"


def _pair(program: str, name: str, levels: str, read: str, names: str, line: int) -> str:
    writes, twin = _WRITES.replace("LEVELS", levels), _READ.format(read)
    made = _program(f"open: {writes}: {_COMPUTED}: {names} (program.cu:{line})", program, name, "")
    return made + _program(f"race: {writes} (data-dependent)", program, f"{name}_read", twin)


test_records = verdicts(
    "#include <cstdio>\n#include <vector>\n"
    + _pair(_PITCHED, "pitched", "block grid", "level", "levels[]", 22)
    + _pair(_BATCH, "batch", "warp block grid", "part", "d, d.u8", 65)
)
