// Linear algebra: what the host calls.
#pragma once
#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "hgrd/library.h"
#define CUBLASAPI
#define CUBLAS_API_H_
#define CUBLAS_V2_H_
#define CUBLASWINAPI
#define CUBLAS_VERSION 120400
#define CUBLAS_VER_MAJOR 12
typedef enum {
    CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH = 8, CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR = 14, CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef cublasStatus_t cublasStatus;
typedef enum { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT } cublasSideMode_t;
typedef enum { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C, CUBLAS_OP_HERMITAN = 2, CUBLAS_OP_CONJG = 3 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED } cublasAtomicsMode_t;
typedef enum { CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_ALGO0 = 0,
               CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99, CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
               CUBLAS_GEMM_ALGO0_TENSOR_OP = 100 } cublasGemmAlgo_t;
typedef enum { CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2,
               CUBLAS_TF32_TENSOR_OP_MATH = 3 } cublasMath_t;
typedef enum { CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC, CUBLAS_COMPUTE_32F = 68,
               CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_PEDANTIC, CUBLAS_COMPUTE_32I,
               CUBLAS_COMPUTE_32I_PEDANTIC, CUBLAS_COMPUTE_32F_FAST_16F, CUBLAS_COMPUTE_32F_FAST_16BF,
               CUBLAS_COMPUTE_32F_FAST_TF32 } cublasComputeType_t;
typedef cudaDataType cublasDataType_t;
typedef struct cublasContext* cublasHandle_t;
#define __HGRD_B(NAME) __HGRD_LIBRARY(cublasStatus_t, cublas##NAME)
#define __HGRD_B4(NAME) __HGRD_B(S##NAME) __HGRD_B(D##NAME) __HGRD_B(C##NAME) __HGRD_B(Z##NAME) \
    __HGRD_B(S##NAME##_v2) __HGRD_B(D##NAME##_v2) __HGRD_B(C##NAME##_v2) __HGRD_B(Z##NAME##_v2) \
    __HGRD_B(S##NAME##_64) __HGRD_B(D##NAME##_64) __HGRD_B(C##NAME##_64) __HGRD_B(Z##NAME##_64)
__HGRD_B(Create) __HGRD_B(Create_v2) __HGRD_B(Destroy) __HGRD_B(Destroy_v2) __HGRD_B(SetStream) __HGRD_B(SetStream_v2)
__HGRD_B(GetStream) __HGRD_B(SetPointerMode) __HGRD_B(GetPointerMode) __HGRD_B(SetMathMode) __HGRD_B(GetMathMode)
__HGRD_B(SetAtomicsMode) __HGRD_B(SetWorkspace) __HGRD_B(GetVersion) __HGRD_B(SetVector) __HGRD_B(GetVector)
__HGRD_B(SetMatrix) __HGRD_B(GetMatrix) __HGRD_B(SetVectorAsync) __HGRD_B(GetVectorAsync) __HGRD_B(SetMatrixAsync)
__HGRD_B(GetMatrixAsync) __HGRD_B(GetProperty)
__HGRD_B4(axpy) __HGRD_B4(copy) __HGRD_B4(scal) __HGRD_B4(dot) __HGRD_B4(dotu) __HGRD_B4(dotc) __HGRD_B4(nrm2)
__HGRD_B4(asum) __HGRD_B4(swap) __HGRD_B4(rot) __HGRD_B4(rotg) __HGRD_B4(rotm) __HGRD_B4(gemv) __HGRD_B4(gbmv)
__HGRD_B4(symv) __HGRD_B4(hemv) __HGRD_B4(sbmv) __HGRD_B4(spmv) __HGRD_B4(trmv) __HGRD_B4(trsv) __HGRD_B4(tpmv)
__HGRD_B4(tpsv) __HGRD_B4(tbmv) __HGRD_B4(tbsv) __HGRD_B4(ger) __HGRD_B4(geru) __HGRD_B4(gerc) __HGRD_B4(syr)
__HGRD_B4(syr2) __HGRD_B4(spr) __HGRD_B4(spr2) __HGRD_B4(gemm) __HGRD_B4(gemm3m) __HGRD_B4(symm) __HGRD_B4(hemm)
__HGRD_B4(syrk) __HGRD_B4(herk) __HGRD_B4(syr2k) __HGRD_B4(trmm) __HGRD_B4(trsm) __HGRD_B4(geam) __HGRD_B4(dgmm)
__HGRD_B4(gemmBatched) __HGRD_B4(gemmStridedBatched) __HGRD_B4(gemvBatched) __HGRD_B4(gemvStridedBatched)
__HGRD_B4(trsmBatched) __HGRD_B4(getrfBatched) __HGRD_B4(getriBatched) __HGRD_B4(getrsBatched)
__HGRD_B4(geqrfBatched) __HGRD_B4(gelsBatched) __HGRD_B4(matinvBatched)
__HGRD_B(Isamax) __HGRD_B(Idamax) __HGRD_B(Icamax) __HGRD_B(Izamax) __HGRD_B(Isamin) __HGRD_B(Idamin)
__HGRD_B(Isamax_v2) __HGRD_B(Idamax_v2) __HGRD_B(Icamax_64) __HGRD_B(Scnrm2) __HGRD_B(Dznrm2) __HGRD_B(Scasum)
__HGRD_B(Dzasum) __HGRD_B(Csscal) __HGRD_B(Zdscal) __HGRD_B(Hgemm) __HGRD_B(HgemmBatched)
__HGRD_B(HgemmStridedBatched) __HGRD_B(GemmEx) __HGRD_B(GemmBatchedEx) __HGRD_B(GemmStridedBatchedEx) __HGRD_B(SgemmEx)
__HGRD_B(CgemmEx) __HGRD_B(DotEx) __HGRD_B(AxpyEx) __HGRD_B(ScalEx) __HGRD_B(Nrm2Ex) __HGRD_B(RotEx) __HGRD_B(DotcEx)
__HGRD_LIBRARY(const char*, cublasGetStatusString)
__HGRD_LIBRARY(const char*, cublasGetStatusName)
#undef __HGRD_B4
#undef __HGRD_B
