// Complex numbers as vectors of two.
#pragma once
#include "hgrd/prelude.h"
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#define __HGRD_COMPLEX(T, R, NAME, F) \
    __HGRD_C __HGRD_BOTH R cuCreal##F(T), cuCimag##F(T), cuCabs##F(T); \
    __HGRD_C __HGRD_BOTH T make_##NAME(R, R), cuConj##F(T); \
    __HGRD_C __HGRD_BOTH T cuCadd##F(T, T), cuCsub##F(T, T), cuCmul##F(T, T), cuCdiv##F(T, T), cuCfma##F(T, T, T);
__HGRD_COMPLEX(cuFloatComplex, float, cuFloatComplex, f)
__HGRD_COMPLEX(cuDoubleComplex, double, cuDoubleComplex, )
#undef __HGRD_COMPLEX
__HGRD_C __HGRD_BOTH cuComplex make_cuComplex(float, float);
__HGRD_C __HGRD_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex);
__HGRD_C __HGRD_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex);
