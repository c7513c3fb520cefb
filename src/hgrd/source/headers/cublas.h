// The first interface of cublas, without handles: its functions return what they compute.
#pragma once
#include "cublas_v2.h"
__HGRD_LIBRARY(cublasStatus_t, cublasInit)
__HGRD_LIBRARY(cublasStatus_t, cublasShutdown)
__HGRD_LIBRARY(cublasStatus_t, cublasGetError)
__HGRD_LIBRARY(cublasStatus_t, cublasAlloc)
__HGRD_LIBRARY(cublasStatus_t, cublasFree)
__HGRD_LIBRARY(cublasStatus_t, cublasSetKernelStream)
