"""OpenGL Mathematics, by headers of ours: vectors in memory are their elements, and functions of them their values."""

from tests.checking import verdicts

SOURCE = """
#include <glm/glm.hpp>

// safe: 1 of 1 pairs
__global__ void apart(const glm::vec3 *in, glm::vec3 *out, glm::mat3 m) {
    glm::vec3 v = in[threadIdx.x];
    glm::vec3 w = glm::max(m * (v - glm::vec3(0.5f)) / glm::length(v), 0.0f);
    out[threadIdx.x] = glm::transpose(m) * w + glm::dot(v, w);
}

// race: read four, write three; shared; warp block
__global__ void overlapping(float *out) {
    __shared__ glm::vec4 rows[65];
    rows[threadIdx.x] = glm::vec4(glm::vec3(threadIdx.x), 1.0f);
    __syncthreads();
    float *sums = &rows[0].x;
    out[threadIdx.x] = rows[threadIdx.x].w;  // four
    sums[3 * threadIdx.x] = 2.0f;  // three
}

int main() {
    glm::vec3 *in, *out;
    cudaMalloc(&in, 64 * sizeof(glm::vec3));
    cudaMalloc(&out, 64 * sizeof(glm::vec3));
    apart<<<1, 64>>>(in, out, glm::mat3(1.0f));
    overlapping<<<1, 64>>>(&out->x);
}
"""

test_vectors = verdicts(SOURCE)
