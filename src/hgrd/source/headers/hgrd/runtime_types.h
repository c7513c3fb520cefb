// Types of the runtime API.  The values of the enumerators are those of CUDA 12.
#pragma once
#define __HGRD_HANDLE(NAME, TAG) typedef struct TAG* NAME;
__HGRD_HANDLE(cudaStream_t, CUstream_st)
__HGRD_HANDLE(cudaEvent_t, CUevent_st)
__HGRD_HANDLE(cudaGraph_t, CUgraph_st)
__HGRD_HANDLE(cudaGraphExec_t, CUgraphExec_st)
__HGRD_HANDLE(cudaGraphNode_t, CUgraphNode_st)
__HGRD_HANDLE(cudaMemPool_t, CUmemPoolHandle_st)
__HGRD_HANDLE(cudaFunction_t, CUfunc_st)
__HGRD_HANDLE(cudaKernel_t, CUkern_st)
__HGRD_HANDLE(cudaUserObject_t, CUuserObject_st)
__HGRD_HANDLE(cudaArray_t, cudaArray)
__HGRD_HANDLE(cudaMipmappedArray_t, cudaMipmappedArray)
__HGRD_HANDLE(cudaExternalMemory_t, CUexternalMemory_st)
__HGRD_HANDLE(cudaExternalSemaphore_t, CUexternalSemaphore_st)
__HGRD_HANDLE(cudaGraphicsResource_t, cudaGraphicsResource)
__HGRD_HANDLE(cudaAsyncCallbackHandle_t, cudaAsyncCallbackEntry)
#undef __HGRD_HANDLE
typedef const struct cudaArray* cudaArray_const_t;
typedef const struct cudaMipmappedArray* cudaMipmappedArray_const_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long cudaGraphConditionalHandle;
typedef unsigned int cudaGraphDeviceNode_st;
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

enum cudaError {
    cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorInitializationError = 3,
    cudaErrorCudartUnloading = 4, cudaErrorProfilerDisabled = 5, cudaErrorProfilerNotInitialized = 6,
    cudaErrorProfilerAlreadyStarted = 7, cudaErrorProfilerAlreadyStopped = 8, cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12, cudaErrorInvalidSymbol = 13, cudaErrorInvalidHostPointer = 16,
    cudaErrorInvalidDevicePointer = 17, cudaErrorInvalidTexture = 18, cudaErrorInvalidTextureBinding = 19,
    cudaErrorInvalidChannelDescriptor = 20, cudaErrorInvalidMemcpyDirection = 21, cudaErrorAddressOfConstant = 22,
    cudaErrorTextureFetchFailed = 23, cudaErrorTextureNotBound = 24, cudaErrorSynchronizationError = 25,
    cudaErrorInvalidFilterSetting = 26, cudaErrorInvalidNormSetting = 27, cudaErrorMixedDeviceExecution = 28,
    cudaErrorNotYetImplemented = 31, cudaErrorMemoryValueTooLarge = 32, cudaErrorStubLibrary = 34,
    cudaErrorInsufficientDriver = 35, cudaErrorCallRequiresNewerDriver = 36, cudaErrorInvalidSurface = 37,
    cudaErrorDuplicateVariableName = 43, cudaErrorDuplicateTextureName = 44, cudaErrorDuplicateSurfaceName = 45,
    cudaErrorDevicesUnavailable = 46, cudaErrorIncompatibleDriverContext = 49, cudaErrorMissingConfiguration = 52,
    cudaErrorPriorLaunchFailure = 53, cudaErrorLaunchMaxDepthExceeded = 65, cudaErrorLaunchFileScopedTex = 66,
    cudaErrorLaunchFileScopedSurf = 67, cudaErrorSyncDepthExceeded = 68, cudaErrorLaunchPendingCountExceeded = 69,
    cudaErrorInvalidDeviceFunction = 98, cudaErrorNoDevice = 100, cudaErrorInvalidDevice = 101,
    cudaErrorDeviceNotLicensed = 102, cudaErrorStartupFailure = 127, cudaErrorInvalidKernelImage = 200,
    cudaErrorDeviceUninitialized = 201, cudaErrorMapBufferObjectFailed = 205, cudaErrorUnmapBufferObjectFailed = 206,
    cudaErrorArrayIsMapped = 207, cudaErrorAlreadyMapped = 208, cudaErrorNoKernelImageForDevice = 209,
    cudaErrorAlreadyAcquired = 210, cudaErrorNotMapped = 211, cudaErrorNotMappedAsArray = 212,
    cudaErrorNotMappedAsPointer = 213, cudaErrorECCUncorrectable = 214, cudaErrorUnsupportedLimit = 215,
    cudaErrorDeviceAlreadyInUse = 216, cudaErrorPeerAccessUnsupported = 217, cudaErrorInvalidPtx = 218,
    cudaErrorInvalidGraphicsContext = 219, cudaErrorJitCompilerNotFound = 221, cudaErrorInvalidSource = 300,
    cudaErrorFileNotFound = 301, cudaErrorSharedObjectSymbolNotFound = 302, cudaErrorSharedObjectInitFailed = 303,
    cudaErrorOperatingSystem = 304, cudaErrorInvalidResourceHandle = 400, cudaErrorIllegalState = 401,
    cudaErrorSymbolNotFound = 500, cudaErrorNotReady = 600, cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701, cudaErrorLaunchTimeout = 702, cudaErrorLaunchIncompatibleTexturing = 703,
    cudaErrorPeerAccessAlreadyEnabled = 704, cudaErrorPeerAccessNotEnabled = 705, cudaErrorSetOnActiveProcess = 708,
    cudaErrorContextIsDestroyed = 709, cudaErrorAssert = 710, cudaErrorTooManyPeers = 711,
    cudaErrorHostMemoryAlreadyRegistered = 712, cudaErrorHostMemoryNotRegistered = 713,
    cudaErrorHardwareStackError = 714, cudaErrorIllegalInstruction = 715, cudaErrorMisalignedAddress = 716,
    cudaErrorInvalidAddressSpace = 717, cudaErrorInvalidPc = 718, cudaErrorLaunchFailure = 719,
    cudaErrorCooperativeLaunchTooLarge = 720, cudaErrorNotPermitted = 800, cudaErrorNotSupported = 801,
    cudaErrorSystemNotReady = 802, cudaErrorSystemDriverMismatch = 803, cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901, cudaErrorStreamCaptureMerge = 902, cudaErrorStreamCaptureUnmatched = 903,
    cudaErrorStreamCaptureUnjoined = 904, cudaErrorStreamCaptureIsolation = 905, cudaErrorStreamCaptureImplicit = 906,
    cudaErrorCapturedEvent = 907, cudaErrorStreamCaptureWrongThread = 908, cudaErrorTimeout = 909,
    cudaErrorGraphExecUpdateFailure = 910, cudaErrorExternalDevice = 911, cudaErrorUnknown = 999,
    cudaErrorApiFailureBase = 10000
};
typedef enum cudaError cudaError_t;

#define __HGRD_ENUM(NAME, ...) enum NAME { __VA_ARGS__ }; typedef enum NAME NAME;
__HGRD_ENUM(cudaMemcpyKind, cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
            cudaMemcpyDeviceToDevice, cudaMemcpyDefault)
__HGRD_ENUM(cudaFuncCache, cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1,
            cudaFuncCachePreferEqual)
__HGRD_ENUM(cudaSharedMemConfig, cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte,
            cudaSharedMemBankSizeEightByte)
__HGRD_ENUM(cudaSharedCarveout, cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0,
            cudaSharedmemCarveoutMaxShared = 100)
__HGRD_ENUM(cudaFuncAttribute, cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
            cudaFuncAttributePreferredSharedMemoryCarveout = 9, cudaFuncAttributeClusterDimMustBeSet = 10,
            cudaFuncAttributeNonPortableClusterSizeAllowed = 14)
__HGRD_ENUM(cudaLimit, cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize,
            cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity,
            cudaLimitPersistingL2CacheSize)
__HGRD_ENUM(cudaDeviceAttr, cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX = 2,
            cudaDevAttrMaxBlockDimY = 3, cudaDevAttrMaxBlockDimZ = 4, cudaDevAttrMaxGridDimX = 5,
            cudaDevAttrMaxGridDimY = 6, cudaDevAttrMaxGridDimZ = 7, cudaDevAttrMaxSharedMemoryPerBlock = 8,
            cudaDevAttrTotalConstantMemory = 9, cudaDevAttrWarpSize = 10, cudaDevAttrMaxPitch = 11,
            cudaDevAttrMaxRegistersPerBlock = 12, cudaDevAttrClockRate = 13, cudaDevAttrTextureAlignment = 14,
            cudaDevAttrGpuOverlap = 15, cudaDevAttrMultiProcessorCount = 16, cudaDevAttrKernelExecTimeout = 17,
            cudaDevAttrIntegrated = 18, cudaDevAttrCanMapHostMemory = 19, cudaDevAttrComputeMode = 20,
            cudaDevAttrConcurrentKernels = 31, cudaDevAttrEccEnabled = 32, cudaDevAttrPciBusId = 33,
            cudaDevAttrPciDeviceId = 34, cudaDevAttrTccDriver = 35, cudaDevAttrMemoryClockRate = 36,
            cudaDevAttrGlobalMemoryBusWidth = 37, cudaDevAttrL2CacheSize = 38,
            cudaDevAttrMaxThreadsPerMultiProcessor = 39, cudaDevAttrAsyncEngineCount = 40,
            cudaDevAttrUnifiedAddressing = 41, cudaDevAttrPciDomainId = 50, cudaDevAttrComputeCapabilityMajor = 75,
            cudaDevAttrComputeCapabilityMinor = 76, cudaDevAttrStreamPrioritiesSupported = 78,
            cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81, cudaDevAttrMaxRegistersPerMultiprocessor = 82,
            cudaDevAttrManagedMemory = 83, cudaDevAttrIsMultiGpuBoard = 84, cudaDevAttrHostNativeAtomicSupported = 86,
            cudaDevAttrSingleToDoublePrecisionPerfRatio = 87, cudaDevAttrPageableMemoryAccess = 88,
            cudaDevAttrConcurrentManagedAccess = 89, cudaDevAttrComputePreemptionSupported = 90,
            cudaDevAttrCanUseHostPointerForRegisteredMem = 91, cudaDevAttrCooperativeLaunch = 95,
            cudaDevAttrCooperativeMultiDeviceLaunch = 96, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
            cudaDevAttrCanFlushRemoteWrites = 98, cudaDevAttrHostRegisterSupported = 99,
            cudaDevAttrPageableMemoryAccessUsesHostPageTables = 100, cudaDevAttrDirectManagedMemAccessFromHost = 101,
            cudaDevAttrMaxBlocksPerMultiprocessor = 106, cudaDevAttrMaxPersistingL2CacheSize = 108,
            cudaDevAttrReservedSharedMemoryPerBlock = 111, cudaDevAttrMemoryPoolsSupported = 115, cudaDevAttrMemoryPoolSupportedHandleTypes = 119,
            cudaDevAttrClusterLaunch = 120)
__HGRD_ENUM(cudaDeviceP2PAttr, cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported = 2,
            cudaDevP2PAttrNativeAtomicSupported = 3, cudaDevP2PAttrCudaArrayAccessSupported = 4)
__HGRD_ENUM(cudaMemoryAdvise, cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly,
            cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy,
            cudaMemAdviseUnsetAccessedBy)
__HGRD_ENUM(cudaMemRangeAttribute, cudaMemRangeAttributeReadMostly = 1, cudaMemRangeAttributePreferredLocation,
            cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributeLastPrefetchLocation)
__HGRD_ENUM(cudaMemoryType, cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice,
            cudaMemoryTypeManaged)
__HGRD_ENUM(cudaComputeMode, cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited,
            cudaComputeModeExclusiveProcess)
__HGRD_ENUM(cudaChannelFormatKind, cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned,
            cudaChannelFormatKindFloat, cudaChannelFormatKindNone, cudaChannelFormatKindNV12)
__HGRD_ENUM(cudaTextureAddressMode, cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
            cudaAddressModeBorder)
__HGRD_ENUM(cudaTextureFilterMode, cudaFilterModePoint, cudaFilterModeLinear)
__HGRD_ENUM(cudaTextureReadMode, cudaReadModeElementType, cudaReadModeNormalizedFloat)
__HGRD_ENUM(cudaSurfaceBoundaryMode, cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap)
__HGRD_ENUM(cudaResourceType, cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear,
            cudaResourceTypePitch2D)
__HGRD_ENUM(cudaResourceViewFormat, cudaResViewFormatNone)
__HGRD_ENUM(cudaStreamCaptureMode, cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
            cudaStreamCaptureModeRelaxed)
__HGRD_ENUM(cudaStreamCaptureStatus, cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive,
            cudaStreamCaptureStatusInvalidated)
__HGRD_ENUM(cudaStreamUpdateCaptureDependenciesFlags, cudaStreamAddCaptureDependencies,
            cudaStreamSetCaptureDependencies)
__HGRD_ENUM(cudaGraphNodeType, cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset,
            cudaGraphNodeTypeHost, cudaGraphNodeTypeGraph, cudaGraphNodeTypeEmpty, cudaGraphNodeTypeWaitEvent,
            cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeExtSemaphoreSignal, cudaGraphNodeTypeExtSemaphoreWait,
            cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree, cudaGraphNodeTypeConditional = 13)
__HGRD_ENUM(cudaGraphConditionalNodeType, cudaGraphCondTypeIf, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch)
__HGRD_ENUM(cudaGraphExecUpdateResult, cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError,
            cudaGraphExecUpdateErrorTopologyChanged, cudaGraphExecUpdateErrorNodeTypeChanged,
            cudaGraphExecUpdateErrorFunctionChanged, cudaGraphExecUpdateErrorParametersChanged,
            cudaGraphExecUpdateErrorNotSupported)
__HGRD_ENUM(cudaGraphInstantiateFlags, cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload = 2,
            cudaGraphInstantiateFlagDeviceLaunch = 4, cudaGraphInstantiateFlagUseNodePriority = 8)
__HGRD_ENUM(cudaGraphDebugDotFlags, cudaGraphDebugDotFlagsVerbose = 1)
__HGRD_ENUM(cudaMemAllocationType, cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned)
__HGRD_ENUM(cudaMemAllocationHandleType, cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor,
            cudaMemHandleTypeWin32, cudaMemHandleTypeWin32Kmt = 4, cudaMemHandleTypeFabric = 8)
__HGRD_ENUM(cudaMemLocationType, cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost,
            cudaMemLocationTypeHostNuma, cudaMemLocationTypeHostNumaCurrent)
__HGRD_ENUM(cudaMemAccessFlags, cudaMemAccessFlagsProtNone = 0, cudaMemAccessFlagsProtRead = 1,
            cudaMemAccessFlagsProtReadWrite = 3)
__HGRD_ENUM(cudaMemPoolAttr, cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic,
            cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold,
            cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemCurrent,
            cudaMemPoolAttrUsedMemHigh)
__HGRD_ENUM(cudaGraphMemAttributeType, cudaGraphMemAttrUsedMemCurrent, cudaGraphMemAttrUsedMemHigh,
            cudaGraphMemAttrReservedMemCurrent, cudaGraphMemAttrReservedMemHigh)
__HGRD_ENUM(cudaAccessProperty, cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting)
__HGRD_ENUM(cudaLaunchAttributeID, cudaLaunchAttributeIgnore, cudaLaunchAttributeAccessPolicyWindow,
            cudaLaunchAttributeCooperative, cudaLaunchAttributeSynchronizationPolicy,
            cudaLaunchAttributeClusterDimension, cudaLaunchAttributeClusterSchedulingPolicyPreference,
            cudaLaunchAttributeProgrammaticStreamSerialization, cudaLaunchAttributeProgrammaticEvent,
            cudaLaunchAttributePriority)
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
__HGRD_ENUM(cudaGraphicsRegisterFlags, cudaGraphicsRegisterFlagsNone, cudaGraphicsRegisterFlagsReadOnly,
            cudaGraphicsRegisterFlagsWriteDiscard, cudaGraphicsRegisterFlagsSurfaceLoadStore = 4,
            cudaGraphicsRegisterFlagsTextureGather = 8)
__HGRD_ENUM(cudaGraphicsMapFlags, cudaGraphicsMapFlagsNone, cudaGraphicsMapFlagsReadOnly,
            cudaGraphicsMapFlagsWriteDiscard)
__HGRD_ENUM(cudaExternalMemoryHandleType, cudaExternalMemoryHandleTypeOpaqueFd = 1,
            cudaExternalMemoryHandleTypeOpaqueWin32, cudaExternalMemoryHandleTypeOpaqueWin32Kmt,
            cudaExternalMemoryHandleTypeD3D12Heap, cudaExternalMemoryHandleTypeD3D12Resource,
            cudaExternalMemoryHandleTypeD3D11Resource, cudaExternalMemoryHandleTypeD3D11ResourceKmt,
            cudaExternalMemoryHandleTypeNvSciBuf)
__HGRD_ENUM(cudaExternalSemaphoreHandleType, cudaExternalSemaphoreHandleTypeOpaqueFd = 1,
            cudaExternalSemaphoreHandleTypeOpaqueWin32, cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt,
            cudaExternalSemaphoreHandleTypeD3D12Fence, cudaExternalSemaphoreHandleTypeD3D11Fence,
            cudaExternalSemaphoreHandleTypeNvSciSync, cudaExternalSemaphoreHandleTypeKeyedMutex,
            cudaExternalSemaphoreHandleTypeKeyedMutexKmt, cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd,
            cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32)
__HGRD_ENUM(cudaDriverEntryPointQueryResult, cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound,
            cudaDriverEntryPointVersionNotSufficent)
__HGRD_ENUM(cudaDataType_t, CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_8I = 3, CUDA_C_32F = 4,
            CUDA_C_64F = 5, CUDA_C_16F = 6, CUDA_C_8I = 7, CUDA_R_8U = 8, CUDA_C_8U = 9, CUDA_R_32I = 10,
            CUDA_C_32I = 11, CUDA_R_32U = 12, CUDA_C_32U = 13, CUDA_R_16BF = 14, CUDA_C_16BF = 15, CUDA_R_4I = 16,
            CUDA_R_16I = 20, CUDA_R_16U = 22, CUDA_R_64I = 24, CUDA_R_64U = 26, CUDA_R_8F_E4M3 = 28,
            CUDA_R_8F_E5M2 = 29, CUDA_R_4F_E2M1 = 33)
#undef __HGRD_ENUM
typedef cudaDataType_t cudaDataType;
typedef enum libraryPropertyType_t { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL } libraryPropertyType;

enum __hgrd_runtime_flags {
    cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2,
    cudaHostRegisterIoMemory = 4, cudaHostRegisterReadOnly = 8, cudaPeerAccessDefault = 0, cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2,
    cudaEventInterprocess = 4, cudaEventRecordDefault = 0, cudaEventRecordExternal = 1, cudaEventWaitDefault = 0,
    cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2,
    cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4, cudaDeviceScheduleMask = 7,
    cudaDeviceMapHost = 8, cudaDeviceLmemResizeToMax = 16, cudaArrayDefault = 0, cudaArrayLayered = 1,
    cudaArraySurfaceLoadStore = 2, cudaArrayCubemap = 4, cudaArrayTextureGather = 8, cudaMemAttachGlobal = 1,
    cudaMemAttachHost = 2, cudaMemAttachSingle = 4, cudaOccupancyDefault = 0, cudaIpcMemLazyEnablePeerAccess = 1,
    cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2, cudaExternalMemoryDedicated = 1, cudaEnableDefault = 0,
    cudaGraphKernelNodePortDefault = 0, cudaGraphCondAssignDefault = 1,
    cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3, cudaTextureTypeCubemap = 12,
    cudaTextureType1DLayered = 0xF1, cudaTextureType2DLayered = 0xF2, cudaTextureTypeCubemapLayered = 0xFC,
    cudaSurfaceType1D = 1, cudaSurfaceType2D = 2, cudaSurfaceType3D = 3, cudaSurfaceTypeCubemap = 12,
    cudaSurfaceType1DLayered = 0xF1, cudaSurfaceType2DLayered = 0xF2
};

#define __HGRD_STRUCT(NAME, ...) struct NAME { __VA_ARGS__ }; typedef struct NAME NAME;
__HGRD_STRUCT(cudaExtent, size_t width, height, depth;)
__HGRD_STRUCT(cudaPos, size_t x, y, z;)
__HGRD_STRUCT(cudaPitchedPtr, void* ptr; size_t pitch, xsize, ysize;)
__HGRD_STRUCT(cudaChannelFormatDesc, int x, y, z, w; cudaChannelFormatKind f;)
__HGRD_STRUCT(textureReference, int normalized; cudaTextureFilterMode filterMode;
              cudaTextureAddressMode addressMode[3]; cudaChannelFormatDesc channelDesc; int sRGB;
              unsigned maxAnisotropy; cudaTextureFilterMode mipmapFilterMode; float mipmapLevelBias;
              float minMipmapLevelClamp, maxMipmapLevelClamp;)
__HGRD_STRUCT(surfaceReference, cudaChannelFormatDesc channelDesc;)
__HGRD_STRUCT(cudaResourceDesc, cudaResourceType resType; union {
    struct { cudaArray_t array; } array;
    struct { cudaMipmappedArray_t mipmap; } mipmap;
    struct { void* devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
    struct { void* devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
} res;)
__HGRD_STRUCT(cudaTextureDesc, cudaTextureAddressMode addressMode[3]; cudaTextureFilterMode filterMode;
              cudaTextureReadMode readMode; int sRGB; float borderColor[4]; int normalizedCoords;
              unsigned maxAnisotropy; cudaTextureFilterMode mipmapFilterMode; float mipmapLevelBias;
              float minMipmapLevelClamp, maxMipmapLevelClamp; int disableTrilinearOptimization, seamlessCubemap;)
__HGRD_STRUCT(cudaResourceViewDesc, cudaResourceViewFormat format; size_t width, height, depth;
              unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;)
__HGRD_STRUCT(cudaMemcpy3DParms, cudaArray_t srcArray; cudaPos srcPos; cudaPitchedPtr srcPtr; cudaArray_t dstArray;
              cudaPos dstPos; cudaPitchedPtr dstPtr; cudaExtent extent; cudaMemcpyKind kind;)
__HGRD_STRUCT(cudaMemcpy3DPeerParms, cudaArray_t srcArray; cudaPos srcPos; cudaPitchedPtr srcPtr; int srcDevice;
              cudaArray_t dstArray; cudaPos dstPos; cudaPitchedPtr dstPtr; int dstDevice; cudaExtent extent;)
__HGRD_STRUCT(cudaMemsetParams, void* dst; size_t pitch; unsigned value, elementSize; size_t width, height;)
__HGRD_STRUCT(cudaFuncAttributes, size_t sharedSizeBytes, constSizeBytes, localSizeBytes; int maxThreadsPerBlock,
              numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout;)
__HGRD_STRUCT(cudaPointerAttributes, cudaMemoryType type; int device; void* devicePointer; void* hostPointer;
              cudaMemoryType memoryType; int isManaged;)
__HGRD_STRUCT(cudaIpcEventHandle_t, char reserved[64];)
__HGRD_STRUCT(cudaIpcMemHandle_t, char reserved[64];)
__HGRD_STRUCT(cudaMemLocation, cudaMemLocationType type; int id;)
__HGRD_STRUCT(cudaMemAccessDesc, cudaMemLocation location; cudaMemAccessFlags flags;)
__HGRD_STRUCT(cudaMemPoolProps, cudaMemAllocationType allocType; cudaMemAllocationHandleType handleTypes;
              cudaMemLocation location; void* win32SecurityAttributes; size_t maxSize; unsigned short usage;
              unsigned char reserved[54];)
__HGRD_STRUCT(cudaMemPoolPtrExportData, unsigned char reserved[64];)
__HGRD_STRUCT(cudaAccessPolicyWindow, void* base_ptr; size_t num_bytes; float hitRatio; cudaAccessProperty hitProp;
              cudaAccessProperty missProp;)
typedef union cudaLaunchAttributeValue {
    char pad[64];
    cudaAccessPolicyWindow accessPolicyWindow;
    int cooperative, syncPolicy, priority, programmaticStreamSerializationAllowed, clusterSchedulingPolicyPreference;
    uint3 clusterDim;
} cudaLaunchAttributeValue;
__HGRD_STRUCT(cudaLaunchAttribute_st, cudaLaunchAttributeID id; char pad[4]; cudaLaunchAttributeValue val;)
typedef cudaLaunchAttribute_st cudaLaunchAttribute;
typedef cudaLaunchAttributeID cudaStreamAttrID;
typedef cudaLaunchAttributeValue cudaStreamAttrValue;
typedef cudaLaunchAttributeID cudaKernelNodeAttrID;
typedef cudaLaunchAttributeValue cudaKernelNodeAttrValue;
__HGRD_STRUCT(cudaLaunchConfig_st, dim3 gridDim, blockDim; size_t dynamicSmemBytes; cudaStream_t stream;
              cudaLaunchAttribute* attrs; unsigned numAttrs;)
typedef cudaLaunchConfig_st cudaLaunchConfig_t;
__HGRD_STRUCT(cudaLaunchParams, void* func; dim3 gridDim, blockDim; void** args; size_t sharedMem;
              cudaStream_t stream;)
__HGRD_STRUCT(cudaKernelNodeParams, void* func; dim3 gridDim, blockDim; unsigned sharedMemBytes; void** kernelParams;
              void** extra;)
__HGRD_STRUCT(cudaKernelNodeParamsV2, void* func; uint3 gridDim, blockDim; unsigned sharedMemBytes;
              void** kernelParams; void** extra;)
typedef void (*cudaHostFn_t)(void* data);
__HGRD_STRUCT(cudaHostNodeParams, cudaHostFn_t fn; void* userData;)
__HGRD_STRUCT(cudaMemAllocNodeParams, cudaMemPoolProps poolProps; const cudaMemAccessDesc* accessDescs;
              size_t accessDescCount, bytesize; void* dptr;)
__HGRD_STRUCT(cudaMemFreeNodeParams, void* dptr;)
__HGRD_STRUCT(cudaMemcpyNodeParams, int flags; int reserved[3]; cudaMemcpy3DParms copyParams;)
__HGRD_STRUCT(cudaChildGraphNodeParams, cudaGraph_t graph;)
__HGRD_STRUCT(cudaConditionalNodeParams, cudaGraphConditionalHandle handle; cudaGraphConditionalNodeType type;
              unsigned size; cudaGraph_t* phGraph_out;)
struct cudaGraphNodeParams {
    cudaGraphNodeType type;
    union {
        cudaKernelNodeParamsV2 kernel;
        cudaMemcpyNodeParams memcpy;
        cudaMemsetParams memset;
        cudaHostNodeParams host;
        cudaChildGraphNodeParams graph;
        cudaMemAllocNodeParams alloc;
        cudaMemFreeNodeParams free;
        cudaConditionalNodeParams conditional;
    };
};
typedef struct cudaGraphNodeParams cudaGraphNodeParams;
typedef struct cudaGraphEdgeData { unsigned char from_port, to_port, type, reserved[5]; } cudaGraphEdgeData;
__HGRD_STRUCT(cudaGraphExecUpdateResultInfo_st, cudaGraphExecUpdateResult result; cudaGraphNode_t errorNode;
              cudaGraphNode_t errorFromNode;)
typedef cudaGraphExecUpdateResultInfo_st cudaGraphExecUpdateResultInfo;
__HGRD_STRUCT(CUuuid_st, char bytes[16];)
typedef CUuuid_st CUuuid;
typedef CUuuid_st cudaUUID_t;
__HGRD_STRUCT(cudaExternalMemoryHandleDesc, cudaExternalMemoryHandleType type; union {
    int fd;
    struct { void* handle; const void* name; } win32;
    const void* nvSciBufObject;
} handle; unsigned long long size; unsigned flags;)
__HGRD_STRUCT(cudaExternalMemoryBufferDesc, unsigned long long offset, size; unsigned flags;)
__HGRD_STRUCT(cudaExternalMemoryMipmappedArrayDesc, unsigned long long offset; cudaChannelFormatDesc formatDesc;
              cudaExtent extent; unsigned flags, numLevels;)
__HGRD_STRUCT(cudaExternalSemaphoreHandleDesc, cudaExternalSemaphoreHandleType type; union {
    int fd;
    struct { void* handle; const void* name; } win32;
    const void* nvSciSyncObj;
} handle; unsigned flags;)
#define __HGRD_SEMAPHORE_PARAMS(NAME) \
    __HGRD_STRUCT(NAME, struct { \
        struct { unsigned long long value; } fence; \
        union { void* fence; unsigned long long reserved; } nvSciSync; \
        struct { unsigned long long key; unsigned timeoutMs; } keyedMutex; \
        unsigned reserved[12]; \
    } params; unsigned flags;)
__HGRD_SEMAPHORE_PARAMS(cudaExternalSemaphoreSignalParams)
__HGRD_SEMAPHORE_PARAMS(cudaExternalSemaphoreWaitParams)
#undef __HGRD_SEMAPHORE_PARAMS

__HGRD_STRUCT(cudaDeviceProp,
    char name[256]; cudaUUID_t uuid; char luid[8]; unsigned luidDeviceNodeMask; size_t totalGlobalMem;
    size_t sharedMemPerBlock; int regsPerBlock; int warpSize; size_t memPitch; int maxThreadsPerBlock;
    int maxThreadsDim[3]; int maxGridSize[3]; int clockRate; size_t totalConstMem; int major; int minor;
    size_t textureAlignment; size_t texturePitchAlignment; int deviceOverlap; int multiProcessorCount;
    int kernelExecTimeoutEnabled; int integrated; int canMapHostMemory; int computeMode; int maxTexture1D;
    int maxTexture1DMipmap; int maxTexture1DLinear; int maxTexture2D[2]; int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3]; int maxTexture2DGather[2]; int maxTexture3D[3]; int maxTexture3DAlt[3];
    int maxTextureCubemap; int maxTexture1DLayered[2]; int maxTexture2DLayered[3]; int maxTextureCubemapLayered[2];
    int maxSurface1D; int maxSurface2D[2]; int maxSurface3D[3]; int maxSurface1DLayered[2];
    int maxSurface2DLayered[3]; int maxSurfaceCubemap; int maxSurfaceCubemapLayered[2]; size_t surfaceAlignment;
    int concurrentKernels; int ECCEnabled; int pciBusID; int pciDeviceID; int pciDomainID; int tccDriver;
    int asyncEngineCount; int unifiedAddressing; int memoryClockRate; int memoryBusWidth; int l2CacheSize;
    int persistingL2CacheMaxSize; int maxThreadsPerMultiProcessor; int streamPrioritiesSupported;
    int globalL1CacheSupported; int localL1CacheSupported; size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor; int managedMemory; int isMultiGpuBoard; int multiGpuBoardGroupID;
    int hostNativeAtomicSupported; int singleToDoublePrecisionPerfRatio; int pageableMemoryAccess;
    int concurrentManagedAccess; int computePreemptionSupported; int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch; int cooperativeMultiDeviceLaunch; size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables; int directManagedMemAccessFromHost; int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize; size_t reservedSharedMemPerBlock; int hostRegisterSupported;
    int memoryPoolsSupported; int clusterLaunch; int unifiedFunctionPointers;)
#undef __HGRD_STRUCT
#define CUDA_IPC_HANDLE_SIZE 64
