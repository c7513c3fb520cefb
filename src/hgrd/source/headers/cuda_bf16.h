// bfloat16 numbers.
#pragma once
#include "hgrd/prelude.h"
#ifdef __cplusplus
#include "hgrd/small_floats.h"
#define __CUDA_BF16_TYPES_EXIST__
struct __attribute__((aligned(2))) __nv_bfloat16_raw { unsigned short x; };
struct __attribute__((aligned(4))) __nv_bfloat162_raw { unsigned short x, y; };
__HGRD_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
__HGRD_BOTH nv_bfloat162 make_bfloat162(nv_bfloat16, nv_bfloat16);
#endif
