"""Hidden launches, which no run over the host code comes to: after `setjmp`, and of kernels from modules."""

from tests.checking import verdicts

JUMP = """
#include <setjmp.h>
jmp_buf start;
volatile int step = 1;
void fail() { step = 0; LEAVE }

VERDICT
__global__ void write(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

int main() {
  int *a;
  cudaMalloc(&a, 4096);
  if (setjmp(start) == 0) { fail(); step = 1; }
  write<<<1, 64>>>(a, 1);
}
"""

MODULE = """
#include <cuda.h>
VERDICT
extern "C" __global__ void got(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }  // cell

// safe: 1 of 1 pairs
extern "C" __global__ void other(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

int main() {
  int *a, s = 0;
  cudaMalloc(&a, 4096);
  got<<<1, 64>>>(a, 1);
  other<<<1, 64>>>(a, 1);
  CUmodule module;
  CUfunction function;
  cuModuleLoad(&module, "kernels.ptx");
  cuModuleGetFunction(&function, module, "got");
  MORE
  void *arguments[] = {&a, &s};
  cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, arguments, 0);
}
"""

_WHY = "longjmp is not followed, and may launch it again"
test_jump = verdicts(JUMP.replace("LEAVE", "longjmp(start, 1);").replace("VERDICT", f"// open: {_WHY}"))
test_no_jump = verdicts(JUMP.replace("LEAVE", "").replace("VERDICT", "// safe: 1 of 1 pairs"))
_AGAIN = "// open: cuModuleGetFunction is not followed, and may launch it again"
_RACE = "// race: write cell, write cell; global; warp block"
test_module = verdicts(MODULE.replace("MORE", "").replace("VERDICT", _RACE))
test_module_out_of_sight = verdicts(
    MODULE.replace("MORE", "hand_out(&function);")
    .replace("VERDICT", _AGAIN)
    .replace("int main", "void hand_out(CUfunction *);\nint main")
)
test_module_handed_out = verdicts(
    MODULE.replace("MORE", "run_it(function);")
    .replace("VERDICT", _AGAIN + "\n" + _RACE)
    .replace("int main", "void run_it(CUfunction);\nint main")
)
