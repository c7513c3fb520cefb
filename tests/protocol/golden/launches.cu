#include <cstdlib>

__global__ void fill(float *row, int width, float value) {
  for (int x = threadIdx.x; x < width; x += 128) row[x] = value;
}

int main(int argc, char **argv) {
  int width = atoi(argv[1]), height = atoi(argv[2]);
  float *image;
  size_t pitch;
  cudaMallocPitch(&image, &pitch, width * sizeof(float), height);
  for (int y = 0; y < height; ++y) fill<<<1, 128>>>((float *)((char *)image + y * pitch), width, 1);
}
