"""Template arguments that differ in `const` alone: the instances are different classes."""

from tests.checking import verdicts

SOURCE = """
template <class T> struct Tag {};
template <class T, class How = Tag<T>> struct View {
  T *data;
  __device__ int at(int i) const { return i; }
};
template <class How> struct View<const int, How> {
  const int *data;
  __device__ int at(int i) const { return i / 2; }
};

// safe: 1 of 1 pairs
__global__ void of_int(View<int> v, int *out) { out[v.at(threadIdx.x)] = threadIdx.x; }

// race: write halved, write halved; global; warp
__global__ void of_const_int(View<const int> v, int *out) { out[v.at(threadIdx.x)] = threadIdx.x; }  // halved

// safe: 1 of 1 pairs
__global__ void both(View<const float> from, View<float> to) { to.data[threadIdx.x] = from.data[threadIdx.x]; }

// race: read next, write here; global; warp block
__global__ void shifted(View<const float> from, View<float> to) {
  to.data[threadIdx.x] =  // here
      to.data[threadIdx.x + 1] + from.data[threadIdx.x];  // next
}

int main() {
  int *p, *out;
  float *x, *y;
  cudaMalloc(&p, 4096), cudaMalloc(&out, 4096), cudaMalloc(&x, 4096), cudaMalloc(&y, 4096);
  of_int<<<1, 64>>>(View<int>{p}, out);
  of_const_int<<<1, 64>>>(View<const int>{p}, out);
  both<<<1, 64>>>(View<const float>{x}, View<float>{y});
  shifted<<<1, 64>>>(View<const float>{x}, View<float>{y});
}
"""

test_instances = verdicts(SOURCE)
