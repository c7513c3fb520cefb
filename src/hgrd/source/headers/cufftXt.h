// Fourier transforms on several devices, and with callbacks.
#pragma once
#include "cufft.h"
typedef enum { CUFFT_COPY_HOST_TO_DEVICE, CUFFT_COPY_DEVICE_TO_HOST, CUFFT_COPY_DEVICE_TO_DEVICE } cufftXtCopyType;
typedef enum { CUFFT_XT_FORMAT_INPUT, CUFFT_XT_FORMAT_OUTPUT, CUFFT_XT_FORMAT_INPLACE,
               CUFFT_XT_FORMAT_INPLACE_SHUFFLED } cufftXtSubFormat;
typedef enum { CUFFT_CB_LD_COMPLEX, CUFFT_CB_LD_COMPLEX_DOUBLE, CUFFT_CB_LD_REAL, CUFFT_CB_LD_REAL_DOUBLE,
               CUFFT_CB_ST_COMPLEX, CUFFT_CB_ST_COMPLEX_DOUBLE, CUFFT_CB_ST_REAL, CUFFT_CB_ST_REAL_DOUBLE
} cufftXtCallbackType;
typedef struct cudaXtDesc { int version, nGPUs; int GPUs[64]; void* data[64]; size_t size[64]; void* cudaXtState;
} cudaXtDesc;
typedef struct cudaLibXtDesc { int version; cudaXtDesc* descriptor; int library; int subFormat; void* libDescriptor;
} cudaLibXtDesc;
typedef cufftComplex (*cufftCallbackLoadC)(void*, size_t, void*, void*);
typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void*, size_t, void*, void*);
typedef cufftReal (*cufftCallbackLoadR)(void*, size_t, void*, void*);
typedef void (*cufftCallbackStoreC)(void*, size_t, cufftComplex, void*, void*);
typedef void (*cufftCallbackStoreR)(void*, size_t, cufftReal, void*, void*);
#define __HGRD_F(NAME) __HGRD_LIBRARY(cufftResult, cufftXt##NAME)
__HGRD_F(SetGPUs) __HGRD_F(Malloc) __HGRD_F(Free) __HGRD_F(Memcpy) __HGRD_F(ExecDescriptorC2C) __HGRD_F(SetCallback)
__HGRD_F(ExecDescriptorR2C) __HGRD_F(ExecDescriptorC2R) __HGRD_F(ExecDescriptorZ2Z) __HGRD_F(MakePlanMany)
__HGRD_F(Exec) __HGRD_F(ExecDescriptor) __HGRD_F(SetCallbackSharedSize) __HGRD_F(SetJITCallback)
#undef __HGRD_F
