/* PyTorch's shuffles and votes of a warp (ATen/cuda/DeviceUtils.cuh). */
#pragma once

#ifdef __CUDACC__
__HGRD_DEVICE inline int WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) {
    return __ballot_sync(mask, predicate);
}
__HGRD_DEVICE inline unsigned ACTIVE_MASK() { return __activemask(); }
__HGRD_DEVICE inline void WARP_SYNC(unsigned mask = 0xffffffff) { __syncwarp(mask); }
template <class T> __HGRD_INTRINSIC T WARP_SHFL(T value, int lane, int width = warpSize, unsigned mask = 0xffffffff) {
    return __shfl_sync(mask, value, lane, width);
}
template <class T> __HGRD_INTRINSIC T WARP_SHFL_XOR(T value, int lanes, int width = warpSize, unsigned mask = 0xffffffff) {
    return __shfl_xor_sync(mask, value, lanes, width);
}
template <class T> __HGRD_INTRINSIC T WARP_SHFL_UP(T value, unsigned by, int width = warpSize, unsigned mask = 0xffffffff) {
    return __shfl_up_sync(mask, value, by, width);
}
template <class T> __HGRD_INTRINSIC T WARP_SHFL_DOWN(T value, unsigned by, int width = warpSize, unsigned mask = 0xffffffff) {
    return __shfl_down_sync(mask, value, by, width);
}
#endif
