// Built-in vector types, dim3 and the built-in variables.  Users define the operators themselves.
#pragma once

#define __HGRD_VECTORS(T, N, ALIGN2, ALIGN4) \
    struct N##1 { T x; }; \
    struct __attribute__((aligned(ALIGN2))) N##2 { T x, y; }; \
    struct N##3 { T x, y, z; }; \
    struct __attribute__((aligned(ALIGN4))) N##4 { T x, y, z, w; }; \
    typedef struct N##1 N##1; \
    typedef struct N##2 N##2; \
    typedef struct N##3 N##3; \
    typedef struct N##4 N##4; \
    __HGRD_C __HGRD_BOTH N##1 make_##N##1(T x); \
    __HGRD_C __HGRD_BOTH N##2 make_##N##2(T x, T y); \
    __HGRD_C __HGRD_BOTH N##3 make_##N##3(T x, T y, T z); \
    __HGRD_C __HGRD_BOTH N##4 make_##N##4(T x, T y, T z, T w);

__HGRD_VECTORS(signed char, char, 2, 4)
__HGRD_VECTORS(unsigned char, uchar, 2, 4)
__HGRD_VECTORS(short, short, 4, 8)
__HGRD_VECTORS(unsigned short, ushort, 4, 8)
__HGRD_VECTORS(int, int, 8, 16)
__HGRD_VECTORS(unsigned int, uint, 8, 16)
__HGRD_VECTORS(long, long, 16, 16)
__HGRD_VECTORS(unsigned long, ulong, 16, 16)
__HGRD_VECTORS(long long, longlong, 16, 16)
__HGRD_VECTORS(unsigned long long, ulonglong, 16, 16)
__HGRD_VECTORS(float, float, 8, 16)
__HGRD_VECTORS(double, double, 16, 16)
#undef __HGRD_VECTORS

#ifdef __cplusplus
struct dim3 {
    unsigned int x, y, z;
    __HGRD_BOTH constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    __HGRD_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __HGRD_BOTH constexpr operator uint3() const { return uint3{x, y, z}; }
};
#else
struct dim3 { unsigned int x, y, z; };
#endif
typedef struct dim3 dim3;

extern const __HGRD_DEVICE uint3 threadIdx;
extern const __HGRD_DEVICE uint3 blockIdx;
extern const __HGRD_DEVICE dim3 blockDim;
extern const __HGRD_DEVICE dim3 gridDim;
extern const __HGRD_DEVICE int warpSize;
