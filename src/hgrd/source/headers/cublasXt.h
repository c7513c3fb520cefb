#pragma once
#include "cublas_v2.h"
__HGRD_OPAQUE(cublasXtHandle_t)
#define __HGRD_XT(NAME) __HGRD_LIBRARY(cublasStatus_t, cublasXt##NAME)
__HGRD_XT(Create) __HGRD_XT(Destroy) __HGRD_XT(DeviceSelect) __HGRD_XT(SetBlockDim) __HGRD_XT(SetPinningMemMode)
__HGRD_XT(Sgemm) __HGRD_XT(Dgemm) __HGRD_XT(Cgemm) __HGRD_XT(Zgemm)
#undef __HGRD_XT
