// Fourier transforms: what the host calls.
#pragma once
#include "cuComplex.h"
#include "hgrd/library.h"
#define _CUFFT_H_
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
typedef enum cufftResult_t {
    CUFFT_SUCCESS = 0, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED, CUFFT_INVALID_TYPE, CUFFT_INVALID_VALUE,
    CUFFT_INTERNAL_ERROR, CUFFT_EXEC_FAILED, CUFFT_SETUP_FAILED, CUFFT_INVALID_SIZE, CUFFT_UNALIGNED_DATA,
    CUFFT_INCOMPLETE_PARAMETER_LIST, CUFFT_INVALID_DEVICE, CUFFT_PARSE_ERROR, CUFFT_NO_WORKSPACE,
    CUFFT_NOT_IMPLEMENTED, CUFFT_LICENSE_ERROR, CUFFT_NOT_SUPPORTED, CUFFT_MISSING_DEPENDENCY, CUFFT_NVRTC_FAILURE,
    CUFFT_NVJITLINK_FAILURE, CUFFT_NVSHMEM_FAILURE
} cufftResult;
typedef enum cufftType_t { CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c,
                           CUFFT_Z2Z = 0x69 } cufftType;
typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
#define __HGRD_F(NAME) __HGRD_LIBRARY(cufftResult, cufft##NAME)
__HGRD_F(Plan1d) __HGRD_F(Plan2d) __HGRD_F(Plan3d) __HGRD_F(PlanMany) __HGRD_F(MakePlan1d) __HGRD_F(MakePlan2d)
__HGRD_F(MakePlan3d) __HGRD_F(MakePlanMany) __HGRD_F(MakePlanMany64) __HGRD_F(Create) __HGRD_F(Destroy)
__HGRD_F(ExecC2C) __HGRD_F(ExecR2C) __HGRD_F(ExecC2R) __HGRD_F(ExecZ2Z) __HGRD_F(ExecD2Z) __HGRD_F(ExecZ2D)
__HGRD_F(SetStream) __HGRD_F(GetVersion) __HGRD_F(SetWorkArea) __HGRD_F(SetAutoAllocation) __HGRD_F(GetSize)
__HGRD_F(GetSize1d) __HGRD_F(GetSize2d) __HGRD_F(GetSize3d) __HGRD_F(Estimate1d) __HGRD_F(Estimate2d)
__HGRD_F(Estimate3d) __HGRD_F(SetCompatibilityMode)
#undef __HGRD_F
