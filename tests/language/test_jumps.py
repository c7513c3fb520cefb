"""Gotos, and switches that are entered sideways: a kernel has the verdict of its structured twin."""

from tests.checking import verdicts

SOURCE = """
// safe: 1 of 1 pairs
__global__ void a_loop(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
top:
  if (i >= n) goto out;
  a[i] = 0;
  i += blockDim.x * gridDim.x;
  goto top;
out:;
}
// safe: 1 of 1 pairs
__global__ void a_loop_structured(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    a[i] = 0;
    i += blockDim.x * gridDim.x;
  }
}
// race: write cell, write cell; global; grid
__global__ void a_loop_with_the_stride_of_a_block(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
top:
  if (i >= n) goto out;
  a[i] = blockIdx.x;  // cell
  i += blockDim.x;
  goto top;
out:;
}

// safe: 10 of 10 pairs
__global__ void barriers(int *out) {
  __shared__ int s[256];
  int t = threadIdx.x, d = 128;
  s[t] = t;
again:
  __syncthreads();
  if (t < d) s[t] += s[t + d];
  d /= 2;
  if (d > 0) goto again;
  if (t == 0) out[blockIdx.x] = s[0];
}
// safe: 10 of 10 pairs
__global__ void barriers_structured(int *out) {
  __shared__ int s[256];
  int t = threadIdx.x, d = 128;
  s[t] = t;
  do {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
    d /= 2;
  } while (d > 0);
  if (t == 0) out[blockIdx.x] = s[0];
}
// race: read sum, write sum; shared; warp block
__global__ void a_barrier_is_missing(int *out) {
  __shared__ int s[256];
  int t = threadIdx.x, d = 128;
  s[t] = t;
  __syncthreads();
again:
  if (t < d) s[t] += s[t + d];  // sum
  d /= 2;
  if (d > 0) goto again;
  __syncthreads();
  if (t == 0) out[blockIdx.x] = s[0];
}

// safe: 3 of 3 pairs
__global__ void out_of_two_loops(int *a, const int *b, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (n < 1) return;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (b[i * n + j] == t) goto found;
      a[(t * n + i) * n + j] = i;
    }
  return;
found:
  a[t * n * n] = 1;
}
// safe: 3 of 3 pairs
__global__ void out_of_two_loops_structured(int *a, const int *b, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = false;
  if (n < 1) return;
  for (int i = 0; i < n && !found; i++)
    for (int j = 0; j < n; j++) {
      if (b[i * n + j] == t) {
        found = true;
        break;
      }
      a[(t * n + i) * n + j] = i;
    }
  if (!found) return;
  a[t * n * n] = 1;
}
// open: write cell, write found; global; warp block grid: it depends on values that are not known: goto
// open: write found, write found; global; warp block grid: it depends on values that are not known: goto
__global__ void out_of_two_loops_to_one_cell(int *a, const int *b, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (b[i * n + j] == t) goto found;
      a[(t * n + i) * n + j] = i;  // cell
    }
  return;
found:
  a[5] = t;  // found
}
// open: write cell, write found; global; warp block grid: it depends on values that are not known: found
// open: write found, write found; global; warp block grid: it depends on values that are not known: found
__global__ void out_of_two_loops_to_one_cell_structured(int *a, const int *b, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = false;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (b[i * n + j] == t) {
        found = true;
        break;
      }
      a[(t * n + i) * n + j] = i;  // cell
    }
    if (found) break;
  }
  if (!found) return;
  a[5] = t;  // found
}

// safe: 5 of 5 pairs
__global__ void cleanup(int *a, int n, int m) {
  __shared__ int s[256];
  int t = threadIdx.x, code = 0;
  if (n < 1) goto error;
  s[t] = t;
  if (m < 1) {
    code = 1;
    goto error;
  }
  __syncthreads();
  a[blockIdx.x * blockDim.x + t] = s[255 - t];
  return;
error:
  a[blockIdx.x * blockDim.x + t] = code;
}
// race: read other, write own; shared; block
__global__ void cleanup_without_a_barrier(int *a, int n, int m) {
  __shared__ int s[256];
  int t = threadIdx.x, code = 0;
  if (n < 1) goto error;
  s[t] = t;  // own
  if (m < 1) {
    code = 1;
    goto error;
  }
  a[blockIdx.x * blockDim.x + t] = s[255 - t];  // other
  return;
error:
  a[blockIdx.x * blockDim.x + t] = code;
}

// safe: 1 of 1 pairs
__global__ void retry(int *ticket, int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, tries = 0;
  if (i >= n) goto done;
retry:
  if (atomicAdd(ticket, 1) == 5 && ++tries < 10) goto retry;
  a[i] = tries;
done:;
}

// safe: 3 of 3 pairs
__global__ void into_a_branch(int *a, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (n > 5) goto inside;
  if (n > 3) {
    a[t] = 1;
inside:
    a[t] = 2;
  }
}

// safe: 6 of 6 pairs
__global__ void two_cases_meet(int *a, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  switch (n) {
    case 1: a[t] = 1; goto both;
    case 2: a[t + 0] = 2;
    both: a[t] = 3; break;
    default: break;
  }
}
// race: write wide, write wide; global; warp block grid
__global__ void one_case_is_wide(int *a, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  switch (n) {
    case 1: t /= 2; goto both;
    case 2: t += 1;
    both: a[t] = threadIdx.x; break;  // wide
    default: break;
  }
}
// note: write wide, write wide; global; warp block grid
// safe: 0 of 1 pairs
__global__ void one_case_is_wide_but_says_the_same(int *a, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  switch (n) {
    case 1: t /= 2; goto both;
    case 2: t += 1;
    both: a[t] = n; break;  // wide
    default: break;
  }
}

// safe: 15 of 15 pairs
__global__ void duff(int *a, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, rounds = (n + 2) / 3;
  if (n < 1) return;
  int k = 0;
  switch (n % 3) {
    case 0: do { a[t] = k++;
    case 2:      a[t] = k++;
    case 1:      a[t] = k++;
            } while (--rounds > 0);
  }
}
// race: write first, write first; global; warp block grid
// race: write second, write second; global; warp block grid
__global__ void duff_everywhere(int *a, int n) {
  int t = threadIdx.x;
  int rounds = (n + 1) / 2, k = 0;
  switch (n % 2) {
    case 0: do { a[k++] = t;  // first
    case 1:      a[k++] = t;  // second
            } while (--rounds > 0);
  }
}

// open: a loop that gotos enter at too many places (line 249)
__global__ void everywhere(int *a, int n) {
  int k = n;
  switch (n) {
    case 0: goto zero;
    case 1: goto one;
    case 2: goto two;
    case 3: goto three;
    default: goto four;
  }
zero:
  if (k == 1) goto two;
  if (k == 2) goto three;
  if (k++ == 3) goto four;
one:
  if (k == 1) goto zero;
  if (k == 2) goto three;
  if (k++ == 3) goto four;
two:
  if (k == 1) goto zero;
  if (k == 2) goto one;
  if (k++ == 3) goto four;
three:
  if (k == 1) goto zero;
  if (k == 2) goto one;
  if (k++ == 3) goto two;
four:
  if (k == 1) goto zero;
  if (k == 2) goto one;
  if (k++ == 3) goto two;
  if (k++ == 4) goto three;
  a[0] = threadIdx.x;
}"""

test_kernel = verdicts(SOURCE)
