template <int N> struct Tile { float cell[N][N + 1]; static const int area = N * N; };
template <class T> __device__ T larger(T a, T b = T()) { return a > b ? a : b; }
template <class T, int N> __global__ void fill(T *out, Tile<N> tile) {
    __shared__ T part[N];
    extern __shared__ char dynamic[];
    typedef T Element;
    Element *p = out + Tile<N>::area;
    for (int i = 0; i < N; i++) part[i] = larger<T>(p[i], N);
    p[dynamic[0]] = larger(part[1]);
}
template <class T> __global__ void never(T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = out[i + 1] * 2;
    __syncthreads();
    atomicAdd(&out[0], 1);
}
template <> __global__ void fill<char, 2>(char *out, Tile<2>) { out[0] = 1; }
template __global__ void fill<double, 3>(double *, Tile<3>);
int main() {
    fill<int, 4><<<1, 32>>>(nullptr, Tile<4>());
}
