__device__ inline void from_header(int *p) {
    *p
        += 3;
}
