"""Blocks of more threads than CUDA allows: what is found thread by thread is not looked for."""

from tests.checking import verdicts

SOURCE = """
// open: a barrier with a number, with a number or a count without a value
// race: read got, write put; shared; block
// race: write put, write put; shared; block
__global__ void huge(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t % 64] = in[t];  // put
  if (t < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  out[t] = s[63 - t % 64];  // got
}

void host(const int *in, int *out) { huge<<<1, 4294967295u>>>(in, out); }
"""

test_huge_block = verdicts(SOURCE)
