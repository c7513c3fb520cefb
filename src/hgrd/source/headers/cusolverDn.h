// Solvers: what the host calls.
#pragma once
#include "cublas_v2.h"
#include "cusparse.h"
#define CUSOLVER_COMMON_H_
typedef enum {
    CUSOLVER_STATUS_SUCCESS, CUSOLVER_STATUS_NOT_INITIALIZED, CUSOLVER_STATUS_ALLOC_FAILED,
    CUSOLVER_STATUS_INVALID_VALUE, CUSOLVER_STATUS_ARCH_MISMATCH, CUSOLVER_STATUS_MAPPING_ERROR,
    CUSOLVER_STATUS_EXECUTION_FAILED, CUSOLVER_STATUS_INTERNAL_ERROR, CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
    CUSOLVER_STATUS_NOT_SUPPORTED, CUSOLVER_STATUS_ZERO_PIVOT, CUSOLVER_STATUS_INVALID_LICENSE
} cusolverStatus_t;
typedef enum { CUSOLVER_EIG_TYPE_1 = 1, CUSOLVER_EIG_TYPE_2, CUSOLVER_EIG_TYPE_3 } cusolverEigType_t;
typedef enum { CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR } cusolverEigMode_t;
__HGRD_OPAQUE(cusolverDnHandle_t) __HGRD_OPAQUE(syevjInfo_t) __HGRD_OPAQUE(gesvdjInfo_t)
__HGRD_OPAQUE(cusolverDnParams_t)
#define __HGRD_D(NAME) __HGRD_LIBRARY(cusolverStatus_t, cusolverDn##NAME)
#define __HGRD_D4(NAME) __HGRD_D(S##NAME) __HGRD_D(D##NAME) __HGRD_D(C##NAME) __HGRD_D(Z##NAME) \
    __HGRD_D(S##NAME##_bufferSize) __HGRD_D(D##NAME##_bufferSize) __HGRD_D(C##NAME##_bufferSize) \
    __HGRD_D(Z##NAME##_bufferSize)
__HGRD_D(Create) __HGRD_D(Destroy) __HGRD_D(SetStream) __HGRD_D(CreateParams) __HGRD_D(DestroyParams)
__HGRD_D(CreateSyevjInfo) __HGRD_D(DestroySyevjInfo) __HGRD_D(XsyevjSetTolerance) __HGRD_D(XsyevjSetMaxSweeps)
__HGRD_D(XsyevjSetSortEig) __HGRD_D(CreateGesvdjInfo) __HGRD_D(DestroyGesvdjInfo)
__HGRD_D4(potrf) __HGRD_D4(potrs) __HGRD_D4(potri) __HGRD_D4(potrfBatched) __HGRD_D4(potrsBatched) __HGRD_D4(getrf)
__HGRD_D4(getrs) __HGRD_D4(geqrf) __HGRD_D4(ormqr) __HGRD_D4(unmqr) __HGRD_D4(orgqr) __HGRD_D4(ungqr) __HGRD_D4(gesvd)
__HGRD_D4(gesvdj) __HGRD_D4(gesvdjBatched) __HGRD_D4(syevd) __HGRD_D4(heevd) __HGRD_D4(syevj) __HGRD_D4(heevj)
__HGRD_D4(syevjBatched) __HGRD_D4(sygvd) __HGRD_D4(sytrf) __HGRD_D(Xgetrf) __HGRD_D(Xgetrs) __HGRD_D(Xpotrf)
#undef __HGRD_D
#undef __HGRD_D4
