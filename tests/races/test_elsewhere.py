"""Launches that no run over the host code comes to: behind `setjmp`, and out of modules."""

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
// open: cuModuleGetFunction is not followed, and may launch it again
extern "C" __global__ void got(int *a, int s) { a[threadIdx.x * s] = threadIdx.x; }

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
  void *arguments[] = {&a, &s};
  cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, arguments, 0);
}
"""

_WHY = "longjmp is not followed, and may launch it again"
test_jump = verdicts(JUMP.replace("LEAVE", "longjmp(start, 1);").replace("VERDICT", f"// open: {_WHY}"))
test_no_jump = verdicts(JUMP.replace("LEAVE", "").replace("VERDICT", "// safe: 1 of 1 pairs"))
test_module = verdicts(MODULE)
