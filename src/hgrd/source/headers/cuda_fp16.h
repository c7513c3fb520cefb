// Half precision numbers.
#pragma once
#include "hgrd/prelude.h"
#ifdef __cplusplus
#include "hgrd/small_floats.h"
#define __CUDA_FP16_TYPES_EXIST__
struct __attribute__((aligned(2))) __half_raw { unsigned short x; };
struct __attribute__((aligned(4))) __half2_raw { unsigned short x, y; };
__HGRD_SMALL_FLOAT(__half, __half2, half, half)
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
__HGRD_BOTH half2 make_half2(half, half);
#endif
