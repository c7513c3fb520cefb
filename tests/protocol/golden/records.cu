struct Body { float4 at; int next; };

__device__ int follow(const Body *bodies, int i) {
  if (i < 0) return -1;
  return bodies[i].next;
}

__global__ void step(Body *bodies, int *visited, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int next = follow(bodies, i);
  if (next < 0) return;
  bodies[i].at.x += bodies[next].at.x;
  __syncwarp(mask);
  switch (next % 3) {
    case 0: visited[next] = 1; break;
    case 1: visited[i] = 2;
    default: *visited = 3;
  }
  __syncwarp();
}
