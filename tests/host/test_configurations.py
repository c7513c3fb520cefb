"""Configurations of launches in records of the runtime: where they stand, and what is set of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.programs import host

KERNEL = """
#include <cuda_runtime.h>
__global__ void k(int *a, int n) { a[threadIdx.x] = n; }
void changes(cudaLaunchConfig_t *c);

struct Owner {
  cudaLaunchConfig_t config;
  cudaLaunchAttribute attributes[1];
  Owner(int threads) {
    config.blockDim = dim3(threads);
    config.gridDim.x = 2;
    config.attrs = attributes;
    config.numAttrs = 1;
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = 2;
    attributes[0].val.clusterDim.y = 1;
    attributes[0].val.clusterDim.z = 1;
  }
};

class Launcher {
  int before_ = 3;
  cudaLaunchConfig_t config_{};
 public:
  Launcher(int threads) { config_.blockDim.x = threads; config_.gridDim = dim3(before_); }
  template <typename... P, typename... A> void operator()(void (*f)(P...), A... a) {
    cudaLaunchKernelEx(&config_, f, a...);
  }
};

cudaLaunchConfig_t made(int grid, int block) {
  cudaLaunchConfig_t c = {0};
  c.gridDim = grid;
  c.blockDim = block;
  return c;
}
"""


@pytest.mark.parametrize(
    ("launch", "configuration"),
    [
        ("cudaLaunchConfig_t c; c.blockDim.x = 9; cudaLaunchKernelEx(&c, k, a, 1);", "<<<1, 9>>>"),
        ("cudaLaunchConfig_t c{}; c.blockDim.y = 9; cudaLaunchKernelEx(&c, k, a, 1);", "<<<1, (1, 9)>>>"),
        ("cudaLaunchConfig_t c{dim3(4), dim3(8), 16}; cudaLaunchKernelEx(&c, k, a, 1);", "<<<4, 8>>>"),
        (
            "cudaLaunchConfig_t c = {.gridDim = {12, 1, 1}, .blockDim = {7, 2}}; cudaLaunchKernelEx(&c, k, a, 1);",
            "<<<12, (7, 2)>>>",
        ),
        ("cudaLaunchConfig_t c = made(4, 10); cudaLaunchKernelEx(&c, k, a, 1);", "<<<4, 10>>>"),
        (
            "cudaLaunchConfig_t c[2]; c[1].gridDim = 4; c[1].blockDim = 12; cudaLaunchKernelEx(c + 1, k, a, 1);",
            "<<<4, 12>>>",
        ),
        ("Owner o(5); cudaLaunchKernelEx(&o.config, k, a, 1);", "<<<2, 5>>>"),
        ("Owner o[2] = {3, 5}; cudaLaunchKernelEx(&o[1].config, k, a, 1);", "<<<2, 5>>>"),
        ("Launcher l(6); l(k, a, 1);", "<<<3, 6>>>"),
        (
            "cudaLaunchConfig_t c = made(4, 10); changes(&c); cudaLaunchKernelEx(&c, k, a, 1);",
            "<<<(c.gridDim.x, c.gridDim.y, c.gridDim.z), (c.blockDim.x, c.blockDim.y, c.blockDim.z)>>>",
        ),
    ],
)
def test_configurations_of_cuda_launch_kernel_ex(tmp_path: Path, launch: str, configuration: str) -> None:
    run = host(tmp_path, f"{KERNEL}int main() {{ int *a; cudaMalloc(&a, 4096); {launch} }}")
    assert [site.configuration for site in run.launches] == [configuration]


def test_clusters_that_a_record_asks_for(tmp_path: Path) -> None:
    launch = "Owner o(5); cudaLaunchKernelEx(&o.config, k, a, 1);"
    (site,) = host(tmp_path, f"{KERNEL}int main() {{ int *a; cudaMalloc(&a, 4096); {launch} }}").launches
    assert [str(extent) for extent in site.cluster or ()] == ["2", "1", "1"]


@pytest.mark.parametrize(
    ("launch", "configurations"),
    [
        (
            "dim3 d[2] = {dim3(3), dim3(4)}; for (int i = 0; i < 2; i++) k<<<1, d[i]>>>(a, 1);",
            ["(i# * 12 == 0 ? 3 : 4)"],
        ),
        ("dim3 d[2] = {dim3(3), dim3(4)}; d[argc] = dim3(5); k<<<1, d[1]>>>(a, 1);", ["d[1].x"]),
        ("auto f = [&](auto n) { k<<<1, n()>>>(a, 1); }; f(std::integral_constant<int, 6>{});", ["6"]),
        (
            "auto f = [&](auto b) { constexpr int t = b ? 64 : 32; k<<<1, t>>>(a, 1); }; "
            "f(std::true_type{}); f(std::false_type{});",
            ["64", "32"],
        ),
        ("threads<2, 3, 4>(a);", ["2", "3", "4"]),
        ("sum(a, 2, 3, 4);", ["9"]),
        ("std::vector<int> s = {5, 6}; k<<<1, s[1]>>>(a, 1); k<<<1, s.size()>>>(a, 1);", ["6", "2"]),
        (
            "std::array<int, 2> s{{5, 6}}; for (auto n : s) k<<<1, n>>>(a, 1);",
            ["(__begin1.iteration# * 4 == 0 ? 5 : 6)"],
        ),
    ],
)
def test_constants_reach_launches(tmp_path: Path, launch: str, configurations: list[str]) -> None:
    functions = """
    #include <array>
    #include <type_traits>
    #include <vector>
    template <int... N> void threads(int *a) { (k<<<1, N>>>(a, 1), ...); }
    template <typename... T> void sum(int *a, T... s) { k<<<1, (s + ...)>>>(a, 1); }
    """
    main = f"int main(int argc, char **argv) {{ int *a; cudaMalloc(&a, 4096); {launch} }}"
    run = host(tmp_path, f"{KERNEL}{functions}{main}")
    assert [str(site.block[0]) for site in run.launches] == configurations
