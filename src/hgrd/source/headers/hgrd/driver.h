// The driver API: types, and functions of which only some have their parameters spelled.
#pragma once
#include "library.h"
#define __cuda_cuda_h__
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef cudaGraph_t CUgraph;
typedef cudaGraphExec_t CUgraphExec;
typedef cudaGraphNode_t CUgraphNode;
typedef cudaFunction_t CUfunction;
typedef cudaKernel_t CUkernel;
typedef cudaMemPool_t CUmemoryPool;
typedef cudaGraphicsResource_t CUgraphicsResource;
typedef cudaExternalMemory_t CUexternalMemory;
typedef cudaExternalSemaphore_t CUexternalSemaphore;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUlib_st* CUlibrary;
typedef struct CUarray_st* CUarray;
typedef struct CUmipmappedArray_st* CUmipmappedArray;
typedef struct CUtexref_st* CUtexref;
typedef struct CUsurfref_st* CUsurfref;
typedef struct CUlinkState_st* CUlinkState;
typedef struct CUeglStreamConnection_st* CUeglStreamConnection;
typedef int CUdevice;
typedef int CUdevice_v1;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUdeviceptr_v2;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef unsigned long long cuuint64_t;
typedef unsigned cuuint32_t;
typedef size_t (*CUoccupancyB2DSize)(int block);
typedef void (*CUstreamCallback)(CUstream stream, int status, void* data);
typedef enum cudaError_enum {
    CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4, CUDA_ERROR_PROFILER_DISABLED = 5, CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101, CUDA_ERROR_INVALID_IMAGE = 200, CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_CONTEXT_ALREADY_CURRENT = 202, CUDA_ERROR_MAP_FAILED = 205, CUDA_ERROR_UNMAP_FAILED = 206,
    CUDA_ERROR_ARRAY_IS_MAPPED = 207, CUDA_ERROR_ALREADY_MAPPED = 208, CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_ALREADY_ACQUIRED = 210, CUDA_ERROR_NOT_MAPPED = 211, CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_UNSUPPORTED_LIMIT = 215, CUDA_ERROR_INVALID_PTX = 218, CUDA_ERROR_INVALID_SOURCE = 300,
    CUDA_ERROR_FILE_NOT_FOUND = 301, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND = 302,
    CUDA_ERROR_SHARED_OBJECT_INIT_FAILED = 303, CUDA_ERROR_OPERATING_SYSTEM = 304, CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_NOT_READY = 600, CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701, CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING = 703, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709, CUDA_ERROR_ASSERT = 710, CUDA_ERROR_TOO_MANY_PEERS = 711,
    CUDA_ERROR_LAUNCH_FAILED = 719, CUDA_ERROR_NOT_PERMITTED = 800, CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_UNKNOWN = 999
} CUresult;
typedef enum CUdevice_attribute_enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9, CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
    CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17, CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
    CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH = 21, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH = 22,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT = 23, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH = 24,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT = 25, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH = 26,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 28,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 29, CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT = 30,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31, CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
    CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34, CU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 43,
    CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95, CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104, CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED = 107,
    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115
} CUdevice_attribute;
typedef enum { CU_COMPUTEMODE_DEFAULT, CU_COMPUTEMODE_EXCLUSIVE, CU_COMPUTEMODE_PROHIBITED,
               CU_COMPUTEMODE_EXCLUSIVE_PROCESS } CUcomputemode;
typedef enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_UNIFIED } CUmemorytype;
typedef enum { CU_FUNC_CACHE_PREFER_NONE, CU_FUNC_CACHE_PREFER_SHARED, CU_FUNC_CACHE_PREFER_L1 } CUfunc_cache;
typedef enum { CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE,
               CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE } CUsharedconfig;
typedef enum { CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
               CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_NUM_REGS,
               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 } CUfunction_attribute;
typedef enum { CU_JIT_MAX_REGISTERS, CU_JIT_THREADS_PER_BLOCK, CU_JIT_WALL_TIME, CU_JIT_INFO_LOG_BUFFER,
               CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
               CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_TARGET_FROM_CUCONTEXT, CU_JIT_TARGET, CU_JIT_FALLBACK_STRATEGY,
               CU_JIT_GENERATE_DEBUG_INFO, CU_JIT_LOG_VERBOSE } CUjit_option;
typedef enum { CU_JIT_INPUT_CUBIN, CU_JIT_INPUT_PTX, CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_OBJECT, CU_JIT_INPUT_LIBRARY
} CUjitInputType;
typedef enum { CU_AD_FORMAT_UNSIGNED_INT8 = 1, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32,
               CU_AD_FORMAT_SIGNED_INT8 = 8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32,
               CU_AD_FORMAT_HALF = 16, CU_AD_FORMAT_FLOAT = 32 } CUarray_format;
typedef enum { CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER
} CUaddress_mode;
typedef enum { CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR } CUfilter_mode;
typedef enum { CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, CU_RESOURCE_TYPE_LINEAR,
               CU_RESOURCE_TYPE_PITCH2D } CUresourcetype;
typedef enum { CU_LIMIT_STACK_SIZE, CU_LIMIT_PRINTF_FIFO_SIZE, CU_LIMIT_MALLOC_HEAP_SIZE } CUlimit;
typedef enum { CU_MEM_ALLOCATION_TYPE_INVALID, CU_MEM_ALLOCATION_TYPE_PINNED } CUmemAllocationType;
typedef enum { CU_MEM_HANDLE_TYPE_NONE, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, CU_MEM_HANDLE_TYPE_WIN32,
               CU_MEM_HANDLE_TYPE_WIN32_KMT = 4 } CUmemAllocationHandleType;
typedef enum { CU_MEM_LOCATION_TYPE_INVALID, CU_MEM_LOCATION_TYPE_DEVICE } CUmemLocationType;
typedef enum { CU_MEM_ACCESS_FLAGS_PROT_NONE, CU_MEM_ACCESS_FLAGS_PROT_READ, CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3
} CUmemAccess_flags;
typedef enum { CU_MEM_ALLOC_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED } CUmemAllocationGranularity_flags;
typedef enum { CU_TARGET_COMPUTE_20 = 20, CU_TARGET_COMPUTE_30 = 30, CU_TARGET_COMPUTE_35 = 35,
               CU_TARGET_COMPUTE_50 = 50, CU_TARGET_COMPUTE_60 = 60, CU_TARGET_COMPUTE_70 = 70 } CUjit_target;
enum __hgrd_driver_flags {
    CU_CTX_SCHED_AUTO = 0, CU_CTX_SCHED_SPIN = 1, CU_CTX_SCHED_YIELD = 2, CU_CTX_SCHED_BLOCKING_SYNC = 4,
    CU_CTX_BLOCKING_SYNC = 4, CU_CTX_SCHED_MASK = 7, CU_CTX_MAP_HOST = 8, CU_CTX_LMEM_RESIZE_TO_MAX = 16,
    CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1,
    CU_EVENT_DISABLE_TIMING = 2, CU_TRSF_READ_AS_INTEGER = 1, CU_TRSF_NORMALIZED_COORDINATES = 2, CU_TRSF_SRGB = 16,
    CU_PARAM_TR_DEFAULT = -1, CU_TRSA_OVERRIDE_FORMAT = 1, CU_MEM_ATTACH_GLOBAL = 1, CU_MEM_ATTACH_HOST = 2,
    CU_MEMHOSTALLOC_PORTABLE = 1, CU_MEMHOSTALLOC_DEVICEMAP = 2, CU_GRAPHICS_REGISTER_FLAGS_NONE = 0,
    CU_MEM_ALLOCATION_COMP_GENERIC = 1, CU_IPC_HANDLE_SIZE = 64, CUDA_ARRAY3D_LAYERED = 1,
    CUDA_ARRAY3D_SURFACE_LDST = 2
};
#define CU_LAUNCH_PARAM_END ((void*)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void*)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void*)0x02)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_DEVICE_CPU ((CUdevice)-1)
typedef struct CUdevprop { int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock,
                           totalConstantMemory, SIMDWidth, memPitch, regsPerBlock, clockRate, textureAlign; } CUdevprop;
typedef struct { size_t Width, Height; CUarray_format Format; unsigned NumChannels; } CUDA_ARRAY_DESCRIPTOR;
typedef struct { size_t Width, Height, Depth; CUarray_format Format; unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct { size_t srcXInBytes, srcY; CUmemorytype srcMemoryType; const void* srcHost; CUdeviceptr srcDevice;
                 CUarray srcArray; size_t srcPitch, dstXInBytes, dstY; CUmemorytype dstMemoryType; void* dstHost;
                 CUdeviceptr dstDevice; CUarray dstArray; size_t dstPitch, WidthInBytes, Height; } CUDA_MEMCPY2D;
typedef struct { size_t srcXInBytes, srcY, srcZ, srcLOD; CUmemorytype srcMemoryType; const void* srcHost;
                 CUdeviceptr srcDevice; CUarray srcArray; void* reserved0; size_t srcPitch, srcHeight, dstXInBytes, dstY,
                 dstZ, dstLOD; CUmemorytype dstMemoryType; void* dstHost; CUdeviceptr dstDevice; CUarray dstArray;
                 void* reserved1; size_t dstPitch, dstHeight, WidthInBytes, Height, Depth; } CUDA_MEMCPY3D;
typedef struct { CUresourcetype resType; union {
    struct { CUarray hArray; } array;
    struct { CUmipmappedArray hMipmappedArray; } mipmap;
    struct { CUdeviceptr devPtr; CUarray_format format; unsigned numChannels; size_t sizeInBytes; } linear;
    struct { CUdeviceptr devPtr; CUarray_format format; unsigned numChannels; size_t width, height, pitchInBytes;
    } pitch2D;
} res; unsigned flags; } CUDA_RESOURCE_DESC;
typedef struct { CUaddress_mode addressMode[3]; CUfilter_mode filterMode; unsigned flags, maxAnisotropy;
                 CUfilter_mode mipmapFilterMode; float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
                 float borderColor[4]; int reserved[12]; } CUDA_TEXTURE_DESC;
typedef struct { char bytes[64]; } CUDA_RESOURCE_VIEW_DESC;
typedef struct { CUmemLocationType type; int id; } CUmemLocation;
typedef struct { CUmemAllocationType type; CUmemAllocationHandleType requestedHandleTypes; CUmemLocation location;
                 void* win32HandleMetaData; struct { unsigned char compressionType, gpuDirectRDMACapable;
                 unsigned short usage; unsigned char reserved[4]; } allocFlags; } CUmemAllocationProp;
typedef struct { CUmemLocation location; CUmemAccess_flags flags; } CUmemAccessDesc;
typedef struct { char reserved[64]; } CUipcMemHandle;
typedef struct { char reserved[64]; } CUipcEventHandle;
typedef struct { unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
                 CUstream hStream; void* attrs; unsigned numAttrs; } CUlaunchConfig;
typedef struct { char bytes[64]; } CUctxCreateParams;

__HGRD_C CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                 unsigned blockY, unsigned blockZ, unsigned shared, CUstream stream, void** arguments,
                                 void** extra);
__HGRD_C CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                            unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared,
                                            CUstream stream, void** arguments);
#define __HGRD_U(NAME) __HGRD_LIBRARY(CUresult, cu##NAME)
__HGRD_U(Init) __HGRD_U(DriverGetVersion) __HGRD_U(GetErrorString) __HGRD_U(GetErrorName) __HGRD_U(GetProcAddress)
__HGRD_U(DeviceGet) __HGRD_U(DeviceGetCount) __HGRD_U(DeviceGetName) __HGRD_U(DeviceGetUuid) __HGRD_U(DeviceGetUuid_v2)
__HGRD_U(DeviceTotalMem) __HGRD_U(DeviceGetAttribute) __HGRD_U(DeviceComputeCapability) __HGRD_U(DeviceGetProperties)
__HGRD_U(DeviceCanAccessPeer) __HGRD_U(DevicePrimaryCtxRetain) __HGRD_U(DevicePrimaryCtxRelease)
__HGRD_U(CtxCreate) __HGRD_U(CtxCreate_v2) __HGRD_U(CtxCreate_v4) __HGRD_U(CtxDestroy) __HGRD_U(CtxPushCurrent)
__HGRD_U(CtxPopCurrent) __HGRD_U(CtxSetCurrent) __HGRD_U(CtxGetCurrent) __HGRD_U(CtxGetDevice)
__HGRD_U(CtxSynchronize) __HGRD_U(CtxSetLimit) __HGRD_U(CtxGetLimit) __HGRD_U(CtxGetApiVersion)
__HGRD_U(CtxEnablePeerAccess) __HGRD_U(CtxDisablePeerAccess) __HGRD_U(CtxAttach) __HGRD_U(CtxDetach)
__HGRD_U(ModuleLoad) __HGRD_U(ModuleLoadData) __HGRD_U(ModuleLoadDataEx) __HGRD_U(ModuleLoadFatBinary)
__HGRD_U(ModuleUnload) __HGRD_U(ModuleGetFunction) __HGRD_U(ModuleGetGlobal) __HGRD_U(ModuleGetTexRef)
__HGRD_U(ModuleGetSurfRef) __HGRD_U(LinkCreate) __HGRD_U(LinkAddData) __HGRD_U(LinkAddFile) __HGRD_U(LinkComplete)
__HGRD_U(LinkDestroy) __HGRD_U(LibraryLoadData) __HGRD_U(LibraryGetKernel) __HGRD_U(KernelGetFunction)
__HGRD_U(MemAlloc) __HGRD_U(MemAlloc_v2) __HGRD_U(MemAllocPitch) __HGRD_U(MemAllocManaged) __HGRD_U(MemAllocHost)
__HGRD_U(MemHostAlloc) __HGRD_U(MemAllocAsync) __HGRD_U(MemFree) __HGRD_U(MemFree_v2) __HGRD_U(MemFreeHost)
__HGRD_U(MemFreeAsync) __HGRD_U(MemGetInfo) __HGRD_U(MemGetAddressRange) __HGRD_U(MemHostRegister)
__HGRD_U(MemHostUnregister) __HGRD_U(MemHostGetDevicePointer) __HGRD_U(MemHostGetFlags) __HGRD_U(MemPeerRegister)
__HGRD_U(MemPeerUnregister) __HGRD_U(MemPeerGetDevicePointer) __HGRD_U(MemAddressReserve) __HGRD_U(MemAddressFree)
__HGRD_U(MemCreate) __HGRD_U(MemRelease) __HGRD_U(MemMap) __HGRD_U(MemUnmap) __HGRD_U(MemSetAccess)
__HGRD_U(MemGetAllocationGranularity) __HGRD_U(MemExportToShareableHandle) __HGRD_U(MemImportFromShareableHandle)
__HGRD_U(MemGetAllocationPropertiesFromHandle) __HGRD_U(MemPrefetchAsync) __HGRD_U(MemAdvise)
__HGRD_U(PointerGetAttribute) __HGRD_U(Memcpy) __HGRD_U(MemcpyAsync) __HGRD_U(MemcpyPeer) __HGRD_U(MemcpyHtoD)
__HGRD_U(MemcpyHtoD_v2) __HGRD_U(MemcpyDtoH_v2) __HGRD_U(MemcpyDtoH) __HGRD_U(MemcpyDtoD) __HGRD_U(MemcpyHtoDAsync)
__HGRD_U(MemcpyDtoHAsync) __HGRD_U(MemcpyDtoDAsync) __HGRD_U(MemcpyHtoA) __HGRD_U(MemcpyAtoH) __HGRD_U(MemcpyAtoD)
__HGRD_U(MemcpyDtoA) __HGRD_U(MemcpyAtoA) __HGRD_U(MemcpyHtoAAsync) __HGRD_U(MemcpyAtoHAsync) __HGRD_U(Memcpy2D)
__HGRD_U(Memcpy2DAsync) __HGRD_U(Memcpy2DUnaligned) __HGRD_U(Memcpy3D) __HGRD_U(Memcpy3DAsync) __HGRD_U(MemsetD8)
__HGRD_U(MemsetD16) __HGRD_U(MemsetD32) __HGRD_U(MemsetD8Async) __HGRD_U(MemsetD32Async) __HGRD_U(MemsetD2D8)
__HGRD_U(MemsetD2D16) __HGRD_U(MemsetD2D32) __HGRD_U(MemsetD16Async) __HGRD_U(MemsetD2D8Async)
__HGRD_U(MemsetD2D16Async) __HGRD_U(MemsetD2D32Async) __HGRD_U(MemcpyPeerAsync) __HGRD_U(Memcpy3DPeer)
__HGRD_U(Memcpy3DPeerAsync) __HGRD_U(ArrayCreate) __HGRD_U(Array3DCreate) __HGRD_U(ArrayDestroy)
__HGRD_U(ArrayGetDescriptor) __HGRD_U(Array3DGetDescriptor) __HGRD_U(MipmappedArrayCreate)
__HGRD_U(MipmappedArrayGetLevel) __HGRD_U(MipmappedArrayDestroy) __HGRD_U(StreamCreate)
__HGRD_U(StreamCreateWithPriority) __HGRD_U(StreamDestroy) __HGRD_U(StreamSynchronize) __HGRD_U(StreamQuery)
__HGRD_U(StreamWaitEvent) __HGRD_U(StreamAddCallback) __HGRD_U(EventCreate) __HGRD_U(EventDestroy)
__HGRD_U(EventRecord) __HGRD_U(EventSynchronize) __HGRD_U(EventQuery) __HGRD_U(EventElapsedTime)
__HGRD_U(FuncGetAttribute) __HGRD_U(FuncSetAttribute) __HGRD_U(FuncSetCacheConfig) __HGRD_U(FuncSetSharedMemConfig)
__HGRD_U(FuncSetBlockShape) __HGRD_U(FuncSetSharedSize) __HGRD_U(ParamSetSize) __HGRD_U(ParamSeti) __HGRD_U(ParamSetf)
__HGRD_U(ParamSetv) __HGRD_U(ParamSetTexRef) __HGRD_U(Launch) __HGRD_U(LaunchGrid) __HGRD_U(LaunchGridAsync)
__HGRD_U(LaunchKernelEx) __HGRD_U(LaunchHostFunc) __HGRD_U(LaunchCooperativeKernelMultiDevice)
__HGRD_U(OccupancyMaxActiveBlocksPerMultiprocessor) __HGRD_U(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
__HGRD_U(OccupancyMaxPotentialBlockSize) __HGRD_U(TexRefCreate) __HGRD_U(TexRefDestroy) __HGRD_U(TexRefSetArray)
__HGRD_U(TexRefSetAddress) __HGRD_U(TexRefSetAddress2D) __HGRD_U(TexRefSetFormat) __HGRD_U(TexRefSetAddressMode)
__HGRD_U(TexRefSetFilterMode) __HGRD_U(TexRefSetFlags) __HGRD_U(TexObjectCreate) __HGRD_U(TexObjectDestroy)
__HGRD_U(SurfObjectCreate) __HGRD_U(SurfObjectDestroy) __HGRD_U(SurfRefSetArray) __HGRD_U(ProfilerInitialize)
__HGRD_U(ProfilerStart) __HGRD_U(ProfilerStop) __HGRD_U(IpcGetMemHandle) __HGRD_U(IpcOpenMemHandle)
__HGRD_U(IpcCloseMemHandle) __HGRD_U(IpcGetEventHandle) __HGRD_U(IpcOpenEventHandle)
__HGRD_U(GraphicsMapResources) __HGRD_U(GraphicsUnmapResources) __HGRD_U(GraphicsUnregisterResource)
__HGRD_U(GraphicsResourceGetMappedPointer) __HGRD_U(GraphicsSubResourceGetMappedArray)
__HGRD_U(GraphicsResourceSetMapFlags)
#undef __HGRD_U
