#include <cstdio>
#include <cstdlib>
#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)
__global__ void __launch_bounds__(256) k(float *p, const int n) { p[n] = 0; }
__managed__ int counter;
__device__ float cells[10];
static int calls = 3;
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *p;
    CHECK(cudaMalloc((void **)&p, n * sizeof(float)));
    dim3 grid((n + 255) / 256, 2), block = dim3(256);
    block.y = 1;
    cudaStream_t stream;
    k<<<grid, block, 4 * n, stream>>>(p, n);
    k<<<n, 32>>>(p, calls++);
    void (*fp)(float *, int) = k;
    fp<<<1, 1>>>(p, 2);
    static int runs;
    printf("%d\n", ++runs);
    delete[] new int[n];
}
