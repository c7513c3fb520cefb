"""Surfaces are memory: x in bytes, y and z (or a layer, a face) in elements; a handle names it."""

from pathlib import Path

import pytest

from hgrd.findings.model import Outcome
from tests.checking import check, verdicts

LINES = """
surface<void, 1> line;
surface<void, cudaSurfaceType3D> volume, other;

// safe: 1 of 1 pairs
__global__ void of_one_dimension(float4 v) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  surf1Dwrite(v, line, x * sizeof(float4));
}

// race: write here, write here; global; warp block grid
__global__ void x_counts_bytes() {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  surf1Dwrite(make_float4(x, 0, 0, 0), line, x);  // here
}

// race: read left, write own; global; warp block grid
__global__ void neighbours(float v) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float left = surf3Dread<float>(volume, x * 4, 0, 0);  // left
  surf3Dwrite(left + v, volume, (x + 1) * 4, 0, 0);  // own
}

// safe: 2 of 2 pairs
__global__ void own_elements(float v) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float own = surf3Dread<float>(volume, x * 4, 0, 0);
  surf3Dwrite(own + v, volume, x * 4, 0, 0);
}

// safe: 1 of 1 pairs
__global__ void from_one_to_another() {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float v;
  surf3Dread(&v, volume, x * 4, 0, 0);
  surf3Dwrite(v, other, (x + 1) * 4, 0, 0);
}

// race: read left, write own; global; warp block
__global__ void between_barriers(cudaSurfaceObject_t s) {
  int x = threadIdx.x, y = blockIdx.x;
  float v = surf2Dread<float>(s, x * 4, y);  // left
  surf2Dwrite(v, s, x * 4 + 4, y);  // own
}

// safe: 2 of 2 pairs
__global__ void behind_a_barrier(cudaSurfaceObject_t s) {
  int x = threadIdx.x, y = blockIdx.x;
  float v = surf2Dread<float>(s, x * 4, y);
  __syncthreads();
  surf2Dwrite(v, s, x * 4 + 4, y);
}

// safe: 1 of 1 pairs
__global__ void nothing_outside(cudaSurfaceObject_t s, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  surf2Dwrite(1.0f, s, x * 4, n + blockIdx.y, cudaBoundaryModeZero);
}

// open: write here, write here; global; warp block grid: it depends on values that are not known: coordinate
__global__ void at_the_border(cudaSurfaceObject_t s) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  surf1Dwrite(x, s, x * 4, cudaBoundaryModeClamp);  // here
}

// safe: 0 of 0 pairs
__global__ void reads_at_the_border(cudaSurfaceObject_t s) {
  surf1Dread<int>(s, threadIdx.x * 4, cudaBoundaryModeClamp);
}

// open: surf1Dwrite() on a surface that is not known
__global__ void of_many(const cudaSurfaceObject_t *s) {
  surf1Dwrite(threadIdx.x, s[blockIdx.x], threadIdx.x * 4);
}

// race: read next, write next; global; warp block grid
__global__ void one_of_two(cudaSurfaceObject_t s, cudaSurfaceObject_t t, bool which) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  surf1Dwrite(surf1Dread<int>(s, x * 4 + 4), which ? s : t, x * 4);  // next
}

// race: write here, write here; global; grid
__global__ void one_of_many(const cudaSurfaceObject_t *s) {
  surf1Dwrite(blockIdx.x, s[3], threadIdx.x * 4);  // here
}
"""

VOLUMES = """
surface<void, cudaSurfaceType2DLayered> layers;
surface<void, cudaSurfaceType3D> volume;
surface<void, cudaSurfaceTypeCubemap> cube;

// safe: 1 of 1 pairs
__global__ void of_three_dimensions(unsigned char v) {
  int x = threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  surf3Dwrite((unsigned char)(v + blockIdx.z), volume, x, y, z);
}

// race: write here, write here; global; grid
__global__ void a_plane_for_all(unsigned char v) {
  int x = threadIdx.x, y = blockIdx.y, z = blockIdx.z / 2;
  surf3Dwrite((unsigned char)(v + blockIdx.z), volume, x, y, z);  // here
}

// race: write here, write here; global; grid
__global__ void a_row_for_all(float v) {
  surf2DLayeredwrite(v + blockIdx.y, layers, threadIdx.x * 4, blockIdx.y / 2, blockIdx.z);  // here
}

// safe: 1 of 1 pairs
__global__ void a_layer_for_each(float v) {
  surf2DLayeredwrite(v + blockIdx.z, layers, threadIdx.x * 4, blockIdx.y, blockIdx.z);
}

// race: write here, write here; global; grid
__global__ void a_layer_for_all(float v) {
  surf2DLayeredwrite(v + blockIdx.z, layers, threadIdx.x * 4, blockIdx.y, 3);  // here
}

// safe: 1 of 1 pairs
__global__ void a_face_for_each(float v) {
  surfCubemapwrite(v + blockIdx.z, cube, threadIdx.x * 4, blockIdx.y, blockIdx.z);
}
"""

test_of_a_line_of_blocks = verdicts(LINES, block_dim=(256, 1, 1), grid_dim=(64, 1, 1))


test_of_a_plane_of_blocks = verdicts(VOLUMES, block_dim=(256, 1, 1), grid_dim=(1, 4, 4))


LAUNCH = """
__global__ void shift(cudaSurfaceObject_t to, cudaSurfaceObject_t from) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  surf1Dwrite(surf1Dread<int>(from, x * 4), to, x * 4 + 4);
}
int main() {
  cudaResourceDesc a = {}, b = {};
  cudaSurfaceObject_t p, q;
  cudaCreateSurfaceObject(&p, &a);
  cudaCreateSurfaceObject(&q, &b);
  shift<<<4, 64>>>(q, p);
}
"""


def test_two_handles(tmp_path: Path):
    found = check(tmp_path, LAUNCH).kernels[0]
    assert found.outcome is Outcome.SAFE
    assert "the memory behind p, q does not overlap" in [use.text for use in found.launches[0].assumptions]


def test_the_same_handle(tmp_path: Path):
    assert check(tmp_path, LAUNCH.replace("(q, p)", "(p, p)")).kernels[0].outcome is Outcome.RACE


FETCH = """
texture<float, 1, cudaReadModeElementType> table;
__global__ void fetch(float *out, cudaTextureObject_t t) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float u;
  tex2D(&u, t, x, 0);
  out[x] = tex1Dfetch(table, x) + tex1Dfetch(table, x + 1) + u;
}
"""


def test_textures_are_not_written(tmp_path: Path):
    found = check(tmp_path, FETCH).kernels[0]
    assert found.outcome is Outcome.SAFE
    used = [use.text for use in found.launches[0].assumptions if "fetches" in use.text]
    assert used == ["no thread writes what t fetches from", "no thread writes what table fetches from"]


BOUND = """
__global__ void k(cudaTextureObject_t t, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) out[i] = FETCH;
}
int main() {
  int n = 4000;
  float *a, *b;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = a;
  r.res.linear.sizeInBytes = n * 4;
  cudaTextureDesc d{};
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &r, &d, nullptr);
  k<<<(n + 127) / 128, 128>>>(t, OUT, n);
}
"""
NEIGHBOURS = "tex1Dfetch<float>(t, i) + tex1Dfetch<float>(t, i + 1)"
FILTERED = "tex1D<float>(t, i + 0.5f)"


def of_texture(folder: Path, fetch: str, out: str) -> tuple[Outcome, list[str], list[str]]:
    """The verdict, the reasons of what is open, and what is assumed of fetches."""
    found = check(folder, BOUND.replace("FETCH", fetch).replace("OUT", out)).kernels[0]
    launch = found.launches[0]
    return (
        found.outcome,
        [pair.reason for pair in launch.open_pairs],
        [use.text for use in launch.assumptions if "fetches" in use.text],
    )


def test_a_texture_of_an_array_that_the_kernel_writes(tmp_path: Path):
    assert of_texture(tmp_path, NEIGHBOURS, "a")[0] is Outcome.RACE


def test_a_texture_of_another_array(tmp_path: Path):
    assert of_texture(tmp_path, NEIGHBOURS, "b") == (Outcome.SAFE, [], [])


def test_each_thread_fetches_what_it_writes_itself(tmp_path: Path):
    assert of_texture(tmp_path, "2 * tex1Dfetch<float>(t, i)", "a") == (Outcome.SAFE, [], [])


def test_a_filtered_fetch_reads_at_a_place_that_is_not_followed(tmp_path: Path):
    why = "t fetches from a, which the kernel writes"
    assert of_texture(tmp_path, FILTERED, "a")[:2] == (Outcome.UNKNOWN, [why])
    assert of_texture(tmp_path, FILTERED, "b") == (Outcome.SAFE, [], ["no thread writes what t fetches from"])


REFERENCE = """
texture<float, 1, cudaReadModeElementType> table;
__global__ void k(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) out[i] = tex1Dfetch(table, i) + tex1Dfetch(table, i + 1);
}
int main() {
  int n = 4000;
  float *a, *b;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaBindTexture(0, table, b, n * 4);
  cudaBindTexture(0, table, a, n * 4);
  k<<<(n + 127) / 128, 128>>>(OUT, n);
}
"""


@pytest.mark.parametrize(("out", "outcome"), [("a", Outcome.RACE), ("b", Outcome.SAFE)])
def test_a_reference_is_bound_to_the_last_array(tmp_path: Path, out: str, outcome: Outcome):
    assert check(tmp_path, REFERENCE.replace("OUT", out)).kernels[0].outcome is outcome


ARRAYS = """
__global__ void blur(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < 1 || x >= w - 1) return;
  float sum = surf2Dread<float>(from, (x - 1) * 4, y) + surf2Dread<float>(from, (x + 1) * 4, y);
  surf2Dwrite(sum, to, x * 4, y);
}
int main() {
  int w = 512;
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaArray_t a, b;
  cudaMallocArray(&a, &d, w, w, cudaArraySurfaceLoadStore);
  cudaMallocArray(&b, &d, w, w, cudaArraySurfaceLoadStore);
  cudaResourceDesc r{};
  cudaSurfaceObject_t p, q;
  r.res.array.array = a;
  cudaCreateSurfaceObject(&p, &r);
  r.res.array.array = SECOND;
  cudaCreateSurfaceObject(&q, &r);
  blur<<<dim3(4, 512), 128>>>(p, q, w);
}
"""


@pytest.mark.parametrize(("second", "outcome"), [("a", Outcome.RACE), ("b", Outcome.SAFE)])
def test_two_surfaces_of_one_array(tmp_path: Path, second: str, outcome: Outcome):
    found = check(tmp_path, ARRAYS.replace("SECOND", second)).kernels[0]
    assert found.outcome is outcome
    if outcome is Outcome.SAFE:
        used = [use.text for use in found.launches[0].assumptions if "overlap" in use.text]
        assert used == ["the memory behind a, b does not overlap"]


BOTH = ARRAYS.replace("cudaCreateSurfaceObject(&p, &r)", "cudaCreateTextureObject(&p, &r, nullptr, nullptr)").replace(
    "surf2Dread<float>(from, (x - 1) * 4, y) + surf2Dread<float>(from, (x + 1) * 4, y)", "tex2D<float>(from, x, y)"
)


@pytest.mark.parametrize(("second", "outcome"), [("a", Outcome.UNKNOWN), ("b", Outcome.SAFE)])
def test_a_texture_and_a_surface_of_one_array(tmp_path: Path, second: str, outcome: Outcome):
    assert check(tmp_path, BOTH.replace("SECOND", second)).kernels[0].outcome is outcome


UNCLEAR = ARRAYS.replace("r.res.array.array = SECOND", "r.res.array.array = w > n ? a : b").replace(
    "int main() {", "int main(int n, char **) {"
)


def test_a_surface_of_one_of_two_arrays(tmp_path: Path):
    assert check(tmp_path, UNCLEAR).kernels[0].outcome is Outcome.UNKNOWN
