// Qualifiers, versions and constants of the CUDA language.
#pragma once
#ifndef __HGRD_CUDA_VERSION
#define __HGRD_CUDA_MAJOR 13
#define __HGRD_CUDA_MINOR 0
#define __HGRD_CUDA_VERSION 13000
#endif
#ifdef __HIP__
// We borrow clang's HIP mode to parse CUDA; the source must not notice.
#undef __HIP__
#undef __HIPCC__
#undef __HIP_ROCclr__
#undef __HIP_PLATFORM_AMD__
#undef __HIPSTDPAR__
#undef __AMDGCN__
#undef __AMDGCN_CUMODE__
#undef __AMDGPU__
#undef __AMD__
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __NVCC__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_VER_MAJOR__ __HGRD_CUDA_MAJOR
#define __CUDACC_VER_MINOR__ __HGRD_CUDA_MINOR
#define __CUDACC_VER_BUILD__ 0
#endif
#define __CUDA_RUNTIME_H__ 1
#define __CUDA_RUNTIME_API_H__ 1
#define __DRIVER_TYPES_H__ 1
#define __VECTOR_TYPES_H__ 1
#define __VECTOR_FUNCTIONS_H__ 1
#define CUDART_VERSION __HGRD_CUDA_VERSION
#define CUDA_VERSION __HGRD_CUDA_VERSION
#define __CUDART_API_VERSION __HGRD_CUDA_VERSION

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(...) __attribute__((aligned(__VA_ARGS__)))
#define __builtin_align__(...) __attribute__((aligned(__VA_ARGS__)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __HGRD_CLUSTER 0x636c7573  // tells our annotations from those of programs
#define __cluster_dims__(...) __attribute__((annotate("cluster", __HGRD_CLUSTER __VA_OPT__(, ) __VA_ARGS__)))
#define __block_size__(...)
#define __maxnreg__(...)
#define __device_builtin__
#define __cudart_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __nv_pure__
#define __nv_is_extended_device_lambda_closure_type(X) false
#define __nv_is_extended_host_device_lambda_closure_type(X) false
#define __CUDA_ALIGN__(...) __attribute__((aligned(__VA_ARGS__)))
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

// Names of our own, used by the headers below only.
#define __HGRD_DEVICE __attribute__((device))
#define __HGRD_BOTH __attribute__((host)) __attribute__((device))
#ifdef __HGRD_DEVICE_PASS  // what stands behind __CUDA_ARCH__ in functions for both sides is of the device
#define __HGRD_INTRINSIC __HGRD_BOTH
#else
#define __HGRD_INTRINSIC __HGRD_DEVICE
#endif
#ifdef __cplusplus
#define __HGRD_DEFAULT(value) = value
#define __HGRD_C extern "C"
#else
#define __HGRD_DEFAULT(value)
#define __HGRD_C extern
#endif
