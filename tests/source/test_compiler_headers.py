"""Our CUDA headers: they compile, together and in C, and programs written against NVIDIA's find what they need."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hgrd.source.clang.run import open_ast
from hgrd.source.clang.toolchain import find_toolchain
from hgrd.source.options import SourceOptions
from hgrd.source.own_headers import HEADERS

# Included by others only, or not at all unless it is needed.
INTERNAL = ("hgrd/",)
IN_C = """
    cuda.h cuda_runtime.h cuComplex.h cublas_v2.h cublasLt.h cufft.h curand.h cusolverDn.h cusolverSp.h cusparse.h
    cudnn.h driver_types.h helper_cuda.h mpi.h nccl.h nvToolsExt.h nvrtc.h omp.h vector_types.h math_constants.h
"""


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def errors(tmp_path: Path, cache: Path, text: str, name: str = "a.cu") -> list[str]:
    path = tmp_path / name
    path.write_text(text)
    with open_ast(str(path), SourceOptions(cache_dir=cache)) as stream:
        while stream.stdout.read(1 << 20):
            pass
        return [f"{d.span}: {d.message}" for d in stream.diagnostics()]


def test_all_headers_together(tmp_path: Path, cache: Path) -> None:
    names = sorted(str(path.relative_to(HEADERS)) for path in HEADERS.rglob("*") if path.is_file())
    included = "".join(f"#include <{name}>\n" for name in names if not name.startswith(INTERNAL))
    assert included.count("\n") > 150
    assert errors(tmp_path, cache, included) == []


def test_headers_in_c(tmp_path: Path, cache: Path) -> None:
    included = "".join(f"#include <{name}>\n" for name in IN_C.split())
    text = "int f(void) { float *p; struct cudaDeviceProp q; cudaMalloc((void **)&p, 4); assert(p); return q.major; }\n"
    assert errors(tmp_path, cache, included + text, "a.c") == []


PROGRAMS = {
    "atomics": """
        __device__ double atomicAdd(double *address, double value) { return *address; }
        __global__ void k(int *i, unsigned long long *u, float *f, double *d, volatile int *v) {
            atomicAdd(i, 1); atomicAdd(u, 1); atomicAdd(f, 1); atomicAdd(d, 1); atomicMax_block(i, 3);
            atomicCAS(u, 1ull, 2); atomicExch(v, 0); atomicInc_system((unsigned *)i, 7u);
        }""",
    "warps": """
        __global__ void k(float *f) {
            float x = __shfl_xor_sync(0xffffffff, f[0], 1) + __shfl_down_sync(__activemask(), 1.0, 2, 16);
            if (__any_sync(~0u, x > 0) && __popc(__ballot_sync(~0u, 1)) == 32) f[1] = __reduce_add_sync(~0u, 3);
            __syncwarp(); __syncthreads_or(x > 1); __threadfence_block(); __nanosleep(10);
        }""",
    "vectors and dim3": """
        __global__ void k(float4 *v, dim3 d) {
            float4 a = v[threadIdx.x]; v[0] = make_float4(a.y, a.x, d.x, blockDim.z); uint3 i = blockIdx; dim3 j(i);
        }
        int main() { dim3 g(1, 2), b = 32; k<<<g, b, 0, 0>>>(nullptr, g); k<<<1, 2>>>(nullptr, {1, 2, 3}); }""",
    "cooperative groups": """
        #include <cooperative_groups.h>
        #include <cooperative_groups/reduce.h>
        namespace cg = cooperative_groups;
        __device__ int sum(const cg::thread_group &g, int x) { g.sync(); return x + g.size(); }
        __global__ void k(int *p) {
            auto grid = cg::this_grid(); cg::thread_block block = cg::this_thread_block();
            auto tile = cg::tiled_partition<32>(block); cg::thread_block_tile<4> four = cg::tiled_partition<4>(tile);
            p[0] = cg::reduce(tile, p[1], cg::plus<int>()) + tile.shfl_down(1, 2) + four.any(1) + sum(block, 1);
            cg::sync(tile); block.sync(); grid.sync(); cg::coalesced_group active = cg::coalesced_threads();
            p[active.thread_rank()] = block.group_index().x + block.thread_index().y;
        }""",
    "half precision": """
        #include <cuda_fp16.h>
        #include <cuda_bf16.h>
        __global__ void k(half *h, half2 *p, __nv_bfloat16 *b) {
            __shared__ half s[32]; s[threadIdx.x] = h[0] * h[1] + __float2half(1.0f); float f = s[3]; f += float(b[0]);
            p[0] = __hfma2(p[1], p[2], __halves2half2(s[0], s[1])); if (h[0] > h[1]) h[2] = hexp(h[3]);
            atomicAdd(h, s[0]); b[1] = __float2bfloat16(f); float2 q = __half22float2(p[0]);
        }""",
    "textures": """
        texture<float, 2, cudaReadModeElementType> image;
        texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;
        __global__ void k(float *p, cudaTextureObject_t t, cudaSurfaceObject_t s) {
            float4 c = tex2D(colours, 0.5f, 1); p[0] = tex2D(image, 1, 2) + tex1Dfetch<float>(t, 3) + c.w;
            surf2Dwrite(p[0], s, 4, 0); surf2Dread(p, s, 4, 0);
        }
        int main() { cudaArray *a; cudaBindTextureToArray(image, a); cudaUnbindTexture(image); }""",
    "scoped atomics and barriers": """
        #include <cuda/atomic>
        #include <cuda/pipeline>
        __global__ void k(int *p) {
            cuda::atomic_ref<int, cuda::thread_scope_device> r(p[0]); r.fetch_add(1, cuda::memory_order_release); r++;
            __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ int s[64];
            if (threadIdx.x == 0) init(&b, blockDim.x); __syncthreads();
            cuda::memcpy_async(s, p, sizeof(s), b); b.arrive_and_wait();
            auto pipe = cuda::make_pipeline(); pipe.producer_acquire(); pipe.producer_commit(); pipe.consumer_wait();
        }""",
    "cub": """
        #include <cub/cub.cuh>
        template <int N> __global__ void k(int *in, int *out) {
            typedef cub::BlockReduce<int, N> Reduce; typedef cub::BlockScan<int, N, cub::BLOCK_SCAN_WARP_SCANS> Scan;
            __shared__ union { typename Reduce::TempStorage reduce; typename Scan::TempStorage scan; } temp;
            int x = Reduce(temp.reduce).Sum(in[threadIdx.x]); __syncthreads(); Scan(temp.scan).ExclusiveSum(x, x);
            out[threadIdx.x] = x + Reduce(temp.reduce).Reduce(x, cub::Max());
        }
        int main() { size_t n; int *p; cub::DeviceScan::ExclusiveSum(nullptr, n, p, p, 3); k<64><<<1, 64>>>(p, p); }""",
    "thrust": """
        #include <thrust/device_vector.h>
        #include <thrust/sort.h>
        struct F { __host__ __device__ float operator()(float x) const { return x; } };
        int main() {
            thrust::device_vector<float> d(10, 1.0f); thrust::host_vector<float> h = d; std::vector<float> s(10); d = s;
            thrust::sort(thrust::device, d.begin(), d.end(), thrust::greater<float>()); d[0] = d[1];
            float *p = thrust::raw_pointer_cast(d.data()), x = thrust::reduce(d.begin(), d.end(), 0.0f);
            auto z = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), d.begin()));
            thrust::sort_by_key(thrust::cuda::par.on(0), z, z + 10, d.begin());
            auto t = thrust::make_transform_iterator(d.begin(), F()); x += thrust::reduce(t, t + 10); x += *p;
            thrust::copy(d.begin(), d.end(), s.begin()); return thrust::max_element(d.begin(), d.end()) - d.begin();
        }""",
    "matrices": """
        #include <mma.h>
        using namespace nvcuda;
        __global__ void k(half *a, float *c) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa; wmma::load_matrix_sync(fa, a, 16);
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb; wmma::load_matrix_sync(fb, a, 16);
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc; wmma::fill_fragment(fc, 0.0f);
            wmma::mma_sync(fc, fa, fb, fc); wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
        }""",
    "random numbers": """
        #include <curand_kernel.h>
        __global__ void k(curandState *s, float *p) { curand_init(1, 2, 0, &s[0]); p[0] = curand_uniform(s); }
        int main() { curandGenerator_t g; curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT); float *p;
                     curandSetPseudoRandomGeneratorSeed(g, 1234ULL); curandGenerateUniform(g, p, 10); }""",
    "host libraries": """
        #include <cublas_v2.h>
        #include <cufft.h>
        #include <cusparse.h>
        int main() {
            cublasHandle_t h; float one = 1, *p; cublasStatus_t s = cublasCreate(&h);
            cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, 1, 2, 3, &one, p, 1, p, 1, &one, p, 1);
            cufftHandle f; cufftPlan1d(&f, 64, CUFFT_C2C, 1); cufftExecC2C(f, (cufftComplex *)p, 0, CUFFT_FORWARD);
            cusparseHandle_t c; return cusparseCreate(&c) != CUSPARSE_STATUS_SUCCESS || s != CUBLAS_STATUS_SUCCESS;
        }""",
    "memory": """
        __constant__ float table[16];
        __device__ int counter;
        int main() {
            float *p; char *c; size_t pitch; cudaStream_t s; cudaEvent_t e; float ms; cudaDeviceProp q;
            cudaMalloc(&p, 4); cudaMallocManaged(&c, 8); cudaMallocPitch(&p, &pitch, 4, 4); cudaEventCreate(&e);
            cudaMemcpyToSymbol(table, p, 64); cudaMemcpyFromSymbol(&pitch, counter, 4); cudaGetDeviceProperties(&q, 0);
            cudaStreamCreate(&s); cudaMemcpyAsync(p, c, 4, cudaMemcpyHostToDevice, s); cudaEventElapsedTime(&ms, e, e);
            return cudaGetLastError() != cudaSuccess;
        }""",
    "specifications": """
        __global__ void k(int *p, int n) {
            __requires(blockDim.x == 64); __assume(n > 0 & __is_pow2(n)); __assert(__distinct_int(threadIdx.x) != 0);
            for (int i = 0; __global_invariant(__write_implies(p, __write_offset_bytes(p) / sizeof(int) < n)),
                 __invariant(__implies(i > 0, __uniform_int(i) == i)), i < n; i++) p[i] = 0;
        }""",
    "arithmetic on vectors that the program lacks": """
        __global__ void k(float4 *v) { v[0] = v[1] * 2.0f + lerp(v[2], v[3], 0.5f); v[1] /= dot(v[2], v[3]); }""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_of(name: str, tmp_path: Path, cache: Path) -> None:
    assert errors(tmp_path, cache, PROGRAMS[name]) == []


@pytest.mark.parametrize("header", ("cooperative_groups.h", "cub/cub.cuh", "cuda/atomic", "thrust/device_vector.h"))
def test_the_tree_has_nothing_of_the_standard_library(header: str, tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text(f"#include <{header}>\n#include <string>\n__global__ void k(int *p) {{ p[threadIdx.x] = 1; }}\n")
    with open_ast(str(path), SourceOptions(cache_dir=cache)) as stream:
        files = {file.decode() for file in re.findall(rb'"file": "([^"]+)"', stream.stdout.read())}
    assert str(path) in files
    assert [file for file in files if file.startswith(find_toolchain().system_dirs)] == []
