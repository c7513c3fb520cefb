// Sparse linear algebra: what the host calls.
#pragma once
#include "cuComplex.h"
#include "hgrd/library.h"
#define CUSPARSEAPI
#define CUSPARSE_VERSION 12300
#define CUSPARSE_VER_MAJOR 12
typedef enum {
    CUSPARSE_STATUS_SUCCESS, CUSPARSE_STATUS_NOT_INITIALIZED, CUSPARSE_STATUS_ALLOC_FAILED,
    CUSPARSE_STATUS_INVALID_VALUE, CUSPARSE_STATUS_ARCH_MISMATCH, CUSPARSE_STATUS_MAPPING_ERROR,
    CUSPARSE_STATUS_EXECUTION_FAILED, CUSPARSE_STATUS_INTERNAL_ERROR, CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
    CUSPARSE_STATUS_ZERO_PIVOT, CUSPARSE_STATUS_NOT_SUPPORTED, CUSPARSE_STATUS_INSUFFICIENT_RESOURCES
} cusparseStatus_t;
typedef enum { CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE } cusparsePointerMode_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_ACTION_NUMERIC } cusparseAction_t;
typedef enum { CUSPARSE_MATRIX_TYPE_GENERAL, CUSPARSE_MATRIX_TYPE_SYMMETRIC, CUSPARSE_MATRIX_TYPE_HERMITIAN,
               CUSPARSE_MATRIX_TYPE_TRIANGULAR } cusparseMatrixType_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT } cusparseDiagType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE } cusparseIndexBase_t;
typedef enum { CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
               CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE } cusparseOperation_t;
typedef enum { CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN } cusparseDirection_t;
typedef enum { CUSPARSE_SOLVE_POLICY_NO_LEVEL, CUSPARSE_SOLVE_POLICY_USE_LEVEL } cusparseSolvePolicy_t;
typedef enum { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I } cusparseIndexType_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW } cusparseOrder_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE } cusparseSpMatAttribute_t;
typedef enum { CUSPARSE_MV_ALG_DEFAULT = 0, CUSPARSE_SPMV_ALG_DEFAULT = 0, CUSPARSE_SPMV_COO_ALG1,
               CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2, CUSPARSE_SPMV_COO_ALG2 } cusparseSpMVAlg_t;
typedef enum { CUSPARSE_MM_ALG_DEFAULT = 0, CUSPARSE_SPMM_ALG_DEFAULT = 0, CUSPARSE_SPMM_COO_ALG1,
               CUSPARSE_SPMM_COO_ALG2, CUSPARSE_SPMM_COO_ALG3, CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2 = 6,
               CUSPARSE_SPMM_CSR_ALG3 } cusparseSpMMAlg_t;
typedef enum { CUSPARSE_SPGEMM_DEFAULT, CUSPARSE_SPGEMM_ALG1, CUSPARSE_SPGEMM_ALG2, CUSPARSE_SPGEMM_ALG3
} cusparseSpGEMMAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPSM_ALG_DEFAULT } cusparseSpSMAlg_t;
typedef enum { CUSPARSE_SDDMM_ALG_DEFAULT } cusparseSDDMMAlg_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT } cusparseSparseToDenseAlg_t;
typedef enum { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT } cusparseDenseToSparseAlg_t;
typedef enum { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1, CUSPARSE_CSR2CSC_ALG2 } cusparseCsr2CscAlg_t;
__HGRD_OPAQUE(cusparseHandle_t) __HGRD_OPAQUE(cusparseMatDescr_t) __HGRD_OPAQUE(cusparseSpMatDescr_t)
__HGRD_OPAQUE(cusparseDnMatDescr_t) __HGRD_OPAQUE(cusparseDnVecDescr_t) __HGRD_OPAQUE(cusparseSpVecDescr_t)
__HGRD_OPAQUE(cusparseSpSVDescr_t) __HGRD_OPAQUE(cusparseSpSMDescr_t) __HGRD_OPAQUE(cusparseSpGEMMDescr_t)
__HGRD_OPAQUE(csrsv2Info_t) __HGRD_OPAQUE(csrilu02Info_t) __HGRD_OPAQUE(csric02Info_t) __HGRD_OPAQUE(csrsm2Info_t)
__HGRD_OPAQUE(cusparseSolveAnalysisInfo_t) __HGRD_OPAQUE(bsrsv2Info_t) __HGRD_OPAQUE(csru2csrInfo_t)
#define __HGRD_S(NAME) __HGRD_LIBRARY(cusparseStatus_t, cusparse##NAME)
#define __HGRD_S4(NAME) __HGRD_S(S##NAME) __HGRD_S(D##NAME) __HGRD_S(C##NAME) __HGRD_S(Z##NAME)
__HGRD_S(Create) __HGRD_S(Destroy) __HGRD_S(SetStream) __HGRD_S(GetStream) __HGRD_S(SetPointerMode)
__HGRD_S(CreateMatDescr) __HGRD_S(DestroyMatDescr) __HGRD_S(SetMatType) __HGRD_S(SetMatIndexBase)
__HGRD_S(SetMatFillMode) __HGRD_S(SetMatDiagType) __HGRD_S(GetVersion)
__HGRD_S(CreateCsr) __HGRD_S(CreateCsc) __HGRD_S(CreateCoo) __HGRD_S(CreateBlockedEll) __HGRD_S(CreateDnVec)
__HGRD_S(CreateDnMat) __HGRD_S(CreateSpVec) __HGRD_S(CreateBsr) __HGRD_S(DestroySpMat) __HGRD_S(DestroyDnVec)
__HGRD_S(DestroyDnMat) __HGRD_S(DestroySpVec) __HGRD_S(SpMatGetSize) __HGRD_S(SpMatSetAttribute)
__HGRD_S(SpMatSetStridedBatch) __HGRD_S(DnMatSetStridedBatch) __HGRD_S(CsrSetStridedBatch) __HGRD_S(CsrSetPointers)
__HGRD_S(CscSetPointers) __HGRD_S(CooSetPointers) __HGRD_S(CsrGet) __HGRD_S(DnVecSetValues) __HGRD_S(DnMatSetValues)
__HGRD_S(SpMatSetValues) __HGRD_S(SpMV) __HGRD_S(SpMV_bufferSize) __HGRD_S(SpMV_preprocess) __HGRD_S(SpMM)
__HGRD_S(SpMM_bufferSize) __HGRD_S(SpMM_preprocess) __HGRD_S(SpSV_createDescr) __HGRD_S(SpSV_destroyDescr)
__HGRD_S(SpSV_bufferSize) __HGRD_S(SpSV_analysis) __HGRD_S(SpSV_solve) __HGRD_S(SpSV_updateMatrix)
__HGRD_S(SpSM_createDescr) __HGRD_S(SpSM_destroyDescr) __HGRD_S(SpSM_bufferSize) __HGRD_S(SpSM_analysis)
__HGRD_S(SpSM_solve) __HGRD_S(SpGEMM_createDescr) __HGRD_S(SpGEMM_destroyDescr) __HGRD_S(SpGEMM_workEstimation)
__HGRD_S(SpGEMM_compute) __HGRD_S(SpGEMM_copy) __HGRD_S(SpGEMM_estimateMemory) __HGRD_S(SpGEMM_getNumProducts)
__HGRD_S(SDDMM) __HGRD_S(SDDMM_bufferSize) __HGRD_S(SDDMM_preprocess) __HGRD_S(SpVV) __HGRD_S(SpVV_bufferSize)
__HGRD_S(Axpby) __HGRD_S(Gather) __HGRD_S(Scatter) __HGRD_S(Rot) __HGRD_S(SparseToDense)
__HGRD_S(SparseToDense_bufferSize) __HGRD_S(DenseToSparse_bufferSize) __HGRD_S(DenseToSparse_analysis)
__HGRD_S(DenseToSparse_convert) __HGRD_S(Csr2cscEx2) __HGRD_S(Csr2cscEx2_bufferSize) __HGRD_S(Xcoo2csr)
__HGRD_S(Xcsr2coo) __HGRD_S(Xcsrsort) __HGRD_S(Xcsrsort_bufferSizeExt) __HGRD_S(Xcoosort_bufferSizeExt)
__HGRD_S(XcoosortByRow) __HGRD_S(CreateIdentityPermutation) __HGRD_S(CreateCsrilu02Info)
__HGRD_S(DestroyCsrilu02Info) __HGRD_S(Xcsrilu02_zeroPivot) __HGRD_S(CreateCsric02Info) __HGRD_S(Xcsric02_zeroPivot)
__HGRD_S(CreateCsrsv2Info) __HGRD_S(DestroyCsrsv2Info) __HGRD_S(CreateSolveAnalysisInfo) __HGRD_S(Xcsrgeam2Nnz)
__HGRD_S(DestroySolveAnalysisInfo) __HGRD_S4(csrilu02) __HGRD_S4(csrilu02_bufferSize) __HGRD_S4(csrilu02_analysis)
__HGRD_S4(csric02) __HGRD_S4(csric02_bufferSize) __HGRD_S4(csric02_analysis) __HGRD_S4(csrsv2_solve)
__HGRD_S4(csrsv2_bufferSize) __HGRD_S4(csrsv2_analysis) __HGRD_S4(csrmv) __HGRD_S4(csrmm) __HGRD_S4(csrmm2)
__HGRD_S4(csr2csc) __HGRD_S4(csrsv_analysis) __HGRD_S4(csrsv_solve) __HGRD_S4(gthr) __HGRD_S4(sctr) __HGRD_S4(nnz)
__HGRD_S4(dense2csr) __HGRD_S4(csr2dense) __HGRD_S4(gtsv2) __HGRD_S4(gtsv2_bufferSizeExt) __HGRD_S4(gtsv)
__HGRD_S4(gtsv2StridedBatch) __HGRD_S4(gtsv2StridedBatch_bufferSizeExt) __HGRD_S4(gtsvStridedBatch)
__HGRD_S4(gtsv2_nopivot) __HGRD_S4(csrgeam2) __HGRD_S4(csrgeam2_bufferSizeExt) __HGRD_S4(csr2bsr) __HGRD_S4(bsrmv)
__HGRD_LIBRARY(const char*, cusparseGetErrorString)
__HGRD_LIBRARY(const char*, cusparseGetErrorName)
__HGRD_LIBRARY(cusparseIndexBase_t, cusparseGetMatIndexBase)
__HGRD_LIBRARY(cusparseMatrixType_t, cusparseGetMatType)
#undef __HGRD_S
#undef __HGRD_S4
