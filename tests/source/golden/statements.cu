__device__ int classify(int x) {
    switch (x) {
        case 1:
        case 2:
            x++;
        case 5 ... 7: {
            x = 0;
            break;
        }
        default:
            return 9;
    }
    do {
        if (x == 3) continue;
        x += 2;
    } while (x < 10);
    return x;
}

__global__ void loops(int *a, int n) {
    for (int i = threadIdx.x, j = 0; i < n; i += blockDim.x, ++j) {
        if (a[i] < 0) break;
        a[i] = j;
    }
    for (;;) {
        if (int c = classify(n); c > 1) return;
        else n--;
    }
    int local[3] = {1, 2};
    for (int &e : local) e = 0;
    while (int k = a[0]) a[k] = 1;
    asm volatile("bar.sync %0, %1;" : : "r"(n), "r"(64) : "memory");
    if constexpr (sizeof(long) == 8) a[0] = 1; else a[0] = 2;
again:
    if (n) goto again;
}
