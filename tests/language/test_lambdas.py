"""Lambdas of device code: what they capture, and what they use without capturing it."""

from tests.checking import verdicts

SOURCE = """
// race: write half, write half; shared; warp
__global__ void shared_by_reference(int *out) {
  __shared__ int tile[64];
  auto put = [&](int at) {
    tile[at] = threadIdx.x;  // half
  };
  put(threadIdx.x / 2);
}

// safe: 1 of 1 pairs
__global__ void shared_of_each_thread(int *out) {
  __shared__ int tile[64];
  auto put = [&](int at) { tile[at] = threadIdx.x; };
  put(threadIdx.x);
}

// race: write copied, write copied; shared; warp
__global__ void shared_by_value(int *out) {
  __shared__ int tile[64];
  auto put = [=](int at) {
    tile[at] = threadIdx.x;  // copied
  };
  put(threadIdx.x / 2);
}

template <class F> __device__ void all(int n, F f) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
}

// race: write given, write given; shared; warp
__global__ void given_to_a_function(int *out) {
  __shared__ int tile[64];
  all(64, [&](int at) {
    tile[at / 2] = threadIdx.x;  // given
  });
}

// race: read next, write own; shared; warp block
__global__ void within_another(int *out) {
  __shared__ int tile[64];
  auto outer = [&] {
    tile[threadIdx.x] = 1 + threadIdx.x;  // own
    auto inner = [&] { return tile[threadIdx.x + 1]; };  // next
    return inner();
  };
  out[threadIdx.x] = outer();
}

// race: write dynamic, write dynamic; shared; warp
__global__ void dynamic(int *out) {
  extern __shared__ int bytes[];
  auto put = [&](int at) {
    bytes[at] = threadIdx.x;  // dynamic
  };
  put(threadIdx.x / 2);
}

// race: write kept, write kept; global; warp block grid
__global__ void static_of_the_function(int *out) {
  static __device__ int kept;
  auto put = [&] {
    kept = threadIdx.x + blockIdx.x;  // kept
  };
  put();
}

// race: write declared, write declared; shared; warp block
__global__ void declared_inside(int *out) {
  auto put = [&] {
    __shared__ int one;
    auto inner = [&] {
      one = threadIdx.x;  // declared
    };
    inner();
  };
  put();
}

template <int N> __device__ void keep(int *out) {
  __shared__ int tile[64];
  auto put = [&](int at) {
    tile[at] = threadIdx.x + N;  // instance
  };
  put(threadIdx.x);
  out[threadIdx.x + 64 * N] = tile[threadIdx.x];
}

// safe: 7 of 7 pairs
__global__ void two_instances(int *out) {
  keep<0>(out);
  keep<1>(out);
}

// race: write templated, write templated; shared; warp
template <class T> __global__ void of_a_template(T *out) {
  __shared__ T tile[64];
  auto put = [&](int at) {
    tile[at] = threadIdx.x;  // templated
  };
  put(threadIdx.x / 2);
}

int main() {
  int *out;
  cudaMalloc(&out, 256 * sizeof(int));
  shared_by_reference<<<1, 64>>>(out);
  shared_of_each_thread<<<1, 64>>>(out);
  shared_by_value<<<1, 64>>>(out);
  given_to_a_function<<<1, 64>>>(out);
  within_another<<<1, 63>>>(out);
  dynamic<<<1, 64, 256>>>(out);
  static_of_the_function<<<2, 64>>>(out);
  declared_inside<<<1, 64>>>(out);
  two_instances<<<1, 64>>>(out);
  of_a_template<int><<<1, 64>>>(out);
}
"""

test_kernel = verdicts(SOURCE)
