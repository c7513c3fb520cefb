// Seed 2101820: accesses behind iterations in which threads leave the kernel, or the loop.

// safe: 0 of 0 pairs
__global__ void all_return(int *a) {
  int flag = 1, i = 1;
  do {
    if (flag) return;
    flag = 0;
  } while (++i < 0);
  a[64] += 1;
}

// race: read behind, write behind; global; warp
// note: write behind, write behind; global; warp
__global__ void nobody_returns(int *a) {
  int flag = 0, i = 1;
  do {
    if (flag) return;
    flag = 1;
  } while (++i < 0);
  a[64] += 1;  // behind
}

// Seed 3116119: in the only iteration there is nothing but what was before it.
// safe: 0 of 0 pairs
__global__ void never_else(int *a, const int *data) {
  int z = 1;
  for (int i = 0; i < 1; i++) {
    if (i == z) a[64] += 1;
    z += data[i];
  }
}

// race: read maybe, write maybe; global; warp
// note: write maybe, write maybe; global; warp
__global__ void perhaps_all_return(int *a, int n) {
  int flag = 1;
  for (int i = 0; i < n; i++) {
    if (flag) return;
    flag = 0;
  }
  a[64] += 1;  // maybe
}

// safe: 0 of 0 pairs
__global__ void return_in_the_second(int *a, int n) {
  int flag = 0;
  for (int i = 0; i < n; i++) {
    if (flag) return;
    flag = 1;
  }
  a[64] += 1;  // later
}

// safe: 0 of 0 pairs
__global__ void return_in_the_third(int *a, int n) {
  int odd = 1;
  for (int i = 0; i < n; i++) {
    if (odd == 5) return;
    odd += 2;
  }
  a[64] += 1;
}

// race: read odd, write odd; global; warp
// note: write odd, write odd; global; warp
__global__ void return_in_none(int *a, int n) {
  int odd = 1;
  for (int i = 0; i < n; i++) {
    if (odd == 6) return;
    odd += 2;
  }
  a[64] += 1;  // odd
}

// race: read unless, write unless; global; warp (data-dependent)
// note: write unless, write unless; global; warp (data-dependent)
__global__ void return_for_some_data(int *a, const int *data) {
  for (int i = 0; i < 7; i++) {
    if (data[i] == 3) return;
  }
  a[64] += 1;  // unless
}

// race: write far, write far; global; warp
__global__ void return_at_a_parameter(int *a, int m) {
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      if (i * 4 + j == m) return;
    }
  }
  a[0] = threadIdx.x;  // far
}

// safe: 0 of 0 pairs
__global__ void return_at_each(int *a, int m) {
  for (int i = 0; i < 4; i++) {
    if (i == 2) return;
  }
  a[0] = threadIdx.x;
}

// safe: 1 of 1 pairs
__global__ void broken_off(int *a, int n) {
  int flag = 0;
  for (int i = 0; i < n; i++) {
    if (i == 2) a[0] = threadIdx.x;  // next
    if (flag) break;
    flag = 1;
  }
}

// race: write next, write next; global; warp
__global__ void not_broken_off_before(int *a, int n) {
  int flag = 0;
  for (int i = 0; i < n; i++) {
    if (i == 0) a[0] = threadIdx.x;  // next
    if (flag) break;
    flag = 1;
  }
}

void launches(int *a, const int *data, int m) {
  all_return<<<1, dim3(1, 3)>>>(a);
  nobody_returns<<<1, dim3(1, 3)>>>(a);
  never_else<<<1, 3>>>(a, data);
  perhaps_all_return<<<1, 3>>>(a, m);
  return_in_the_second<<<1, 2>>>(a, 7);
  return_in_the_third<<<1, 2>>>(a, 7);
  return_in_none<<<1, 2>>>(a, 7);
  return_for_some_data<<<1, 2>>>(a, data);
  return_at_a_parameter<<<1, 2>>>(a, m);
  return_at_each<<<1, 2>>>(a, m);
  broken_off<<<1, 2>>>(a, 7);
  not_broken_off_before<<<1, 2>>>(a, 7);
}
