"""Rows of which some elements are used, and one at an index from memory: that both lie in the row is one contract."""

from tests.checking import verdicts

test_indexes_in_rows = verdicts("""
// race: read chosen, write all; global; grid (unless V <= P && within(targets, P))
// race: write all, write all; global; grid (unless V <= P)
__global__ void loss(float *logits, float *losses, const int *targets, int V, int P) {
  int row = blockIdx.x, target = targets[row];
  if (threadIdx.x == 0) losses[row] = logits[row * P + target];  // chosen
  __syncthreads();
  for (int i = threadIdx.x; i < V; i += blockDim.x) logits[row * P + i] = i + row;  // all
}

// race: read early, write late; global; warp block grid (data-dependent)
// race: write late, write late; global; grid (unless V <= P)
__global__ void loss_without_a_barrier(float *logits, float *losses, const int *targets, int V, int P) {
  int row = blockIdx.x, target = targets[row];
  if (threadIdx.x == 0) losses[row] = logits[row * P + target];  // early
  for (int i = threadIdx.x; i < V; i += blockDim.x) logits[row * P + i] = i + row;  // late
}

void run(float *logits, float *losses, const int *targets, int n, int V, int P) {
  loss<<<n, 256>>>(logits, losses, targets, V, P);
  loss_without_a_barrier<<<n, 256>>>(logits, losses, targets, V, P);
}
""")
