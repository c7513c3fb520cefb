// 8 bit floating point numbers.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#ifdef __cplusplus
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
#define __HGRD_FP8(T) \
    struct T { \
        __nv_fp8_storage_t __x; \
        T() = default; \
        template <class V> __HGRD_BOTH explicit T(V value); \
        __HGRD_BOTH explicit operator float() const; __HGRD_BOTH explicit operator double() const; \
        __HGRD_BOTH explicit operator __half() const; __HGRD_BOTH explicit operator __nv_bfloat16() const; \
        __HGRD_BOTH explicit operator int() const; __HGRD_BOTH explicit operator bool() const; \
    };
#define __HGRD_FP8_PAIRS(T, STORAGE, FLOATS) \
    struct T { \
        STORAGE __x; \
        T() = default; \
        template <class V> __HGRD_BOTH explicit T(V value); \
        template <class V> __HGRD_BOTH explicit T(V low, V high); \
        __HGRD_BOTH explicit operator FLOATS() const; \
    };
__HGRD_FP8(__nv_fp8_e4m3)
__HGRD_FP8(__nv_fp8_e5m2)
__HGRD_FP8_PAIRS(__nv_fp8x2_e4m3, __nv_fp8x2_storage_t, float2)
__HGRD_FP8_PAIRS(__nv_fp8x2_e5m2, __nv_fp8x2_storage_t, float2)
__HGRD_FP8_PAIRS(__nv_fp8x4_e4m3, __nv_fp8x4_storage_t, float4)
__HGRD_FP8_PAIRS(__nv_fp8x4_e5m2, __nv_fp8x4_storage_t, float4)
#undef __HGRD_FP8
#undef __HGRD_FP8_PAIRS
#define __HGRD_CVT(R, NAME, FROM) extern __HGRD_BOTH R NAME(FROM, __nv_saturation_t, __nv_fp8_interpretation_t);
__HGRD_CVT(__nv_fp8_storage_t, __nv_cvt_float_to_fp8, float)
__HGRD_CVT(__nv_fp8_storage_t, __nv_cvt_double_to_fp8, double)
__HGRD_CVT(__nv_fp8_storage_t, __nv_cvt_halfraw_to_fp8, __half_raw)
__HGRD_CVT(__nv_fp8_storage_t, __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw)
__HGRD_CVT(__nv_fp8x2_storage_t, __nv_cvt_float2_to_fp8x2, float2)
__HGRD_CVT(__nv_fp8x2_storage_t, __nv_cvt_halfraw2_to_fp8x2, __half2_raw)
#undef __HGRD_CVT
extern __HGRD_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t, __nv_fp8_interpretation_t);
extern __HGRD_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t, __nv_fp8_interpretation_t);
#endif
