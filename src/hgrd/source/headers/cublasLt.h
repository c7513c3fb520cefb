// Matrix products with tuning.
#pragma once
#include "cublas_v2.h"
__HGRD_OPAQUE(cublasLtHandle_t)
__HGRD_OPAQUE(cublasLtMatmulDesc_t)
__HGRD_OPAQUE(cublasLtMatrixLayout_t)
__HGRD_OPAQUE(cublasLtMatmulPreference_t)
__HGRD_OPAQUE(cublasLtMatrixTransformDesc_t)
typedef struct { unsigned long long data[8]; } cublasLtMatmulAlgo_t;
typedef struct { unsigned long long data[8]; } cublasLtMatmulDescOpaque_t;
typedef struct { unsigned long long data[8]; } cublasLtMatrixLayoutOpaque_t;
typedef struct { unsigned long long data[8]; } cublasLtMatmulPreferenceOpaque_t;
typedef struct { cublasLtMatmulAlgo_t algo; size_t workspaceSize; cublasStatus_t state; float wavesCount; int reserved[4];
} cublasLtMatmulHeuristicResult_t;
typedef enum { CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, CUBLASLT_MATMUL_DESC_SCALE_TYPE, CUBLASLT_MATMUL_DESC_POINTER_MODE,
               CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB, CUBLASLT_MATMUL_DESC_TRANSC,
               CUBLASLT_MATMUL_DESC_FILL_MODE, CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
               CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
               CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER,
               CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, CUBLASLT_MATMUL_DESC_C_SCALE_POINTER,
               CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER,
               CUBLASLT_MATMUL_DESC_FAST_ACCUM } cublasLtMatmulDescAttributes_t;
typedef enum { CUBLASLT_MATRIX_LAYOUT_TYPE, CUBLASLT_MATRIX_LAYOUT_ORDER, CUBLASLT_MATRIX_LAYOUT_ROWS,
               CUBLASLT_MATRIX_LAYOUT_COLS, CUBLASLT_MATRIX_LAYOUT_LD, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
               CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET } cublasLtMatrixLayoutAttribute_t;
typedef enum { CUBLASLT_MATMUL_PREF_SEARCH_MODE, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
               CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
               CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
               CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES } cublasLtMatmulPreferenceAttributes_t;
typedef enum { CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_RELU = 2, CUBLASLT_EPILOGUE_BIAS = 4,
               CUBLASLT_EPILOGUE_RELU_BIAS = 6, CUBLASLT_EPILOGUE_GELU = 32, CUBLASLT_EPILOGUE_GELU_BIAS = 36,
               CUBLASLT_EPILOGUE_GELU_AUX = 160, CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 164, CUBLASLT_EPILOGUE_DGELU = 192,
               CUBLASLT_EPILOGUE_RELU_AUX = 130, CUBLASLT_EPILOGUE_RELU_AUX_BIAS = 134, CUBLASLT_EPILOGUE_DRELU = 136,
               CUBLASLT_EPILOGUE_DRELU_BGRAD = 152, CUBLASLT_EPILOGUE_DGELU_BGRAD = 208, CUBLASLT_EPILOGUE_BGRADA = 256,
               CUBLASLT_EPILOGUE_BGRADB = 512 } cublasLtEpilogue_t;
typedef enum { CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW, CUBLASLT_ORDER_COL32 } cublasLtOrder_t;
#define __HGRD_LT(NAME) __HGRD_LIBRARY(cublasStatus_t, cublasLt##NAME)
__HGRD_LT(Create) __HGRD_LT(Destroy) __HGRD_LT(Matmul) __HGRD_LT(MatmulAlgoGetHeuristic) __HGRD_LT(MatmulDescCreate)
__HGRD_LT(MatmulDescInit) __HGRD_LT(MatmulDescDestroy) __HGRD_LT(MatmulDescSetAttribute) __HGRD_LT(MatmulAlgoInit)
__HGRD_LT(MatmulDescGetAttribute) __HGRD_LT(MatrixLayoutCreate) __HGRD_LT(MatrixLayoutInit)
__HGRD_LT(MatrixLayoutDestroy) __HGRD_LT(MatrixLayoutSetAttribute) __HGRD_LT(MatmulPreferenceCreate)
__HGRD_LT(MatmulPreferenceInit) __HGRD_LT(MatmulPreferenceDestroy) __HGRD_LT(MatmulPreferenceSetAttribute)
__HGRD_LT(MatmulAlgoGetIds) __HGRD_LT(MatmulAlgoCheck) __HGRD_LT(MatrixTransform) __HGRD_LT(MatrixTransformDescCreate)
__HGRD_LT(MatrixTransformDescSetAttribute) __HGRD_LT(MatrixTransformDescDestroy)
#undef __HGRD_LT
