// Functions of the runtime API that C has too; device code may call some of them, so all are declared for both sides.
#pragma once
#define __HGRD_API __HGRD_C __HGRD_BOTH cudaError_t
#define __HGRD_OR(value) __HGRD_DEFAULT(value)

// Memory
__HGRD_API cudaMalloc(void** pointer, size_t size);
__HGRD_API cudaFree(void* pointer);
__HGRD_API cudaMallocHost(void** pointer, size_t size, unsigned flags __HGRD_OR(0));
__HGRD_API cudaFreeHost(void* pointer);
__HGRD_API cudaHostAlloc(void** pointer, size_t size, unsigned flags);
__HGRD_API cudaHostRegister(void* pointer, size_t size, unsigned flags);
__HGRD_API cudaHostUnregister(void* pointer);
__HGRD_API cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
__HGRD_API cudaHostGetFlags(unsigned* flags, void* host);
__HGRD_API cudaMallocManaged(void** pointer, size_t size, unsigned flags __HGRD_OR(1));
__HGRD_API cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
__HGRD_API cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent);
__HGRD_API cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, size_t width,
                           size_t height __HGRD_OR(0), unsigned flags __HGRD_OR(0));
__HGRD_API cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, cudaExtent extent,
                             unsigned flags __HGRD_OR(0));
__HGRD_API cudaMallocMipmappedArray(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* desc, cudaExtent extent,
                                    unsigned levels, unsigned flags __HGRD_OR(0));
__HGRD_API cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t mipmapped, unsigned level);
__HGRD_API cudaFreeArray(cudaArray_t array);
__HGRD_API cudaFreeMipmappedArray(cudaMipmappedArray_t array);
__HGRD_API cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned* flags, cudaArray_t array);
__HGRD_API cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream);
__HGRD_API cudaMallocFromPoolAsync(void** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream);
__HGRD_API cudaFreeAsync(void* pointer, cudaStream_t stream);
__HGRD_API cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties);
__HGRD_API cudaMemPoolDestroy(cudaMemPool_t pool);
__HGRD_API cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
__HGRD_API cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
__HGRD_API cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* descriptions, size_t count);
__HGRD_API cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location);
__HGRD_API cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
__HGRD_API cudaMemPoolExportToShareableHandle(void* handle, cudaMemPool_t pool, cudaMemAllocationHandleType type,
                                              unsigned flags);
__HGRD_API cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* handle, cudaMemAllocationHandleType type,
                                                unsigned flags);
__HGRD_API cudaMemPoolExportPointer(cudaMemPoolPtrExportData* data, void* pointer);
__HGRD_API cudaMemPoolImportPointer(void** pointer, cudaMemPool_t pool, cudaMemPoolPtrExportData* data);
__HGRD_API cudaMemGetInfo(size_t* free, size_t* total);
__HGRD_API cudaMemAdvise(const void* pointer, size_t size, cudaMemoryAdvise advice, int device);
__HGRD_API cudaMemRangeGetAttribute(void* data, size_t size, cudaMemRangeAttribute attribute, const void* pointer,
                                    size_t count);
__HGRD_API cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);
__HGRD_API cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer);
__HGRD_API cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned flags);
__HGRD_API cudaIpcCloseMemHandle(void* pointer);
__HGRD_API cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event);
__HGRD_API cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle);

// Copies
__HGRD_API cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind);
__HGRD_API cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind,
                           cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t size);
__HGRD_API cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t size,
                               cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                        cudaMemcpyKind kind);
__HGRD_API cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                             size_t height, cudaMemcpyKind kind, cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaMemcpy3D(const cudaMemcpy3DParms* parameters);
__HGRD_API cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters);
__HGRD_API cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t size, cudaMemcpyKind kind);
__HGRD_API cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t size, cudaMemcpyKind kind);
__HGRD_API cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                               size_t height, cudaMemcpyKind kind);
__HGRD_API cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                    size_t height, cudaMemcpyKind kind, cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                 size_t height, cudaMemcpyKind kind);
__HGRD_API cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                      size_t height, cudaMemcpyKind kind, cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t size,
                                  cudaMemcpyKind kind, cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                                    cudaMemcpyKind kind, cudaStream_t stream __HGRD_OR(0));
typedef struct { int srcAccessOrder; struct { int type, id; } srcLocHint, dstLocHint; unsigned flags; } cudaMemcpyAttributes;
__HGRD_API cudaMemcpyBatchAsync(void* const* to, const void* const* from, const size_t* sizes, size_t count,
                                cudaMemcpyAttributes* attributes, size_t* indexes, size_t attribute_count,
                                cudaStream_t stream);
__HGRD_API cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                  size_t from_y, size_t size, cudaMemcpyKind kind);
__HGRD_API cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                    size_t from_y, size_t width, size_t height, cudaMemcpyKind kind);
__HGRD_API cudaMemset(void* pointer, int value, size_t size);
__HGRD_API cudaMemsetAsync(void* pointer, int value, size_t size, cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height);
__HGRD_API cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                             cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent);
__HGRD_API cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream __HGRD_OR(0));

// Devices
__HGRD_API cudaDeviceSynchronize(void);
__HGRD_API cudaThreadSynchronize(void);
__HGRD_API cudaDeviceReset(void);
__HGRD_API cudaThreadExit(void);
__HGRD_API cudaGetDevice(int* device);
__HGRD_API cudaSetDevice(int device);
__HGRD_API cudaInitDevice(int device, unsigned device_flags, unsigned flags);
__HGRD_API cudaSetValidDevices(int* devices, int count);
__HGRD_API cudaGetDeviceCount(int* count);
__HGRD_API cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
__HGRD_API cudaChooseDevice(int* device, const cudaDeviceProp* properties);
__HGRD_API cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
__HGRD_API cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to);
__HGRD_API cudaDeviceGetByPCIBusId(int* device, const char* id);
__HGRD_API cudaDeviceGetPCIBusId(char* id, int length, int device);
__HGRD_API cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
__HGRD_API cudaDeviceGetMemPool(cudaMemPool_t* pool, int device);
__HGRD_API cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
__HGRD_API cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
__HGRD_API cudaDeviceSetLimit(cudaLimit limit, size_t value);
__HGRD_API cudaDeviceGetLimit(size_t* value, cudaLimit limit);
__HGRD_API cudaThreadSetLimit(cudaLimit limit, size_t value);
__HGRD_API cudaThreadSetCacheConfig(cudaFuncCache config);
__HGRD_API cudaDeviceSetCacheConfig(cudaFuncCache config);
__HGRD_API cudaDeviceGetCacheConfig(cudaFuncCache* config);
__HGRD_API cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
__HGRD_API cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config);
__HGRD_API cudaSetDeviceFlags(unsigned flags);
__HGRD_API cudaGetDeviceFlags(unsigned* flags);
__HGRD_API cudaDeviceCanAccessPeer(int* can, int device, int peer);
__HGRD_API cudaDeviceEnablePeerAccess(int peer, unsigned flags);
__HGRD_API cudaDeviceDisablePeerAccess(int peer);
__HGRD_API cudaDeviceGraphMemTrim(int device);
__HGRD_API cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value);
__HGRD_API cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value);
__HGRD_API cudaCtxResetPersistingL2Cache(void);
__HGRD_API cudaDriverGetVersion(int* version);
__HGRD_API cudaRuntimeGetVersion(int* version);
__HGRD_API cudaGetLastError(void);
__HGRD_API cudaPeekAtLastError(void);
__HGRD_API cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                   cudaDriverEntryPointQueryResult* result __HGRD_OR(0));
__HGRD_C __HGRD_BOTH const char* cudaGetErrorString(cudaError_t error);
__HGRD_C __HGRD_BOTH const char* cudaGetErrorName(cudaError_t error);
__HGRD_API cudaProfilerStart(void);
__HGRD_API cudaProfilerStop(void);

// Streams and events
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void* data);
__HGRD_API cudaStreamCreate(cudaStream_t* stream);
__HGRD_API cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
__HGRD_API cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
__HGRD_API cudaStreamDestroy(cudaStream_t stream);
__HGRD_API cudaStreamSynchronize(cudaStream_t stream);
__HGRD_API cudaStreamQuery(cudaStream_t stream);
__HGRD_API cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags __HGRD_OR(0));
__HGRD_API cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags);
__HGRD_API cudaStreamGetFlags(cudaStream_t stream, unsigned* flags);
__HGRD_API cudaStreamGetPriority(cudaStream_t stream, int* priority);
__HGRD_API cudaStreamGetId(cudaStream_t stream, unsigned long long* id);
__HGRD_API cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t length __HGRD_OR(0),
                                    unsigned flags __HGRD_OR(4));
__HGRD_API cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue* value);
__HGRD_API cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value);
__HGRD_API cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
__HGRD_API cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                         const cudaGraphEdgeData* edges, size_t count, cudaStreamCaptureMode mode);
__HGRD_API cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
__HGRD_API cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
__HGRD_API cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                    unsigned long long* id __HGRD_OR(0), cudaGraph_t* graph __HGRD_OR(0),
                                    const cudaGraphNode_t** dependencies __HGRD_OR(0), size_t* count __HGRD_OR(0));
__HGRD_API cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                       unsigned long long* id __HGRD_OR(0), cudaGraph_t* graph __HGRD_OR(0),
                                       const cudaGraphNode_t** dependencies __HGRD_OR(0), size_t* count __HGRD_OR(0));
__HGRD_API cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies, size_t count,
                                               unsigned flags __HGRD_OR(0));
__HGRD_API cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);
__HGRD_API cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
__HGRD_API cudaEventDestroy(cudaEvent_t event);
__HGRD_API cudaEventRecord(cudaEvent_t event, cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream __HGRD_OR(0), unsigned flags __HGRD_OR(0));
__HGRD_API cudaEventSynchronize(cudaEvent_t event);
__HGRD_API cudaEventQuery(cudaEvent_t event);
__HGRD_API cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);

// Launches by function address
__HGRD_API cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig config);
__HGRD_API cudaLaunchCooperativeKernelMultiDevice(cudaLaunchParams* launches, unsigned devices,
                                                  unsigned flags __HGRD_OR(0));
__HGRD_API cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments);
__HGRD_C __HGRD_BOTH void* cudaGetParameterBuffer(size_t alignment, size_t size);
__HGRD_C __HGRD_BOTH void cudaTriggerProgrammaticLaunchCompletion(void);
__HGRD_C __HGRD_BOTH void cudaGridDependencySynchronize(void);

// Textures and surfaces
__HGRD_API cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                   const cudaTextureDesc* texture, const cudaResourceViewDesc* view);
__HGRD_API cudaDestroyTextureObject(cudaTextureObject_t object);
__HGRD_API cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object);
__HGRD_API cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource);
__HGRD_API cudaDestroySurfaceObject(cudaSurfaceObject_t object);
__HGRD_API cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array);
__HGRD_C __HGRD_BOTH cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth);
__HGRD_C __HGRD_BOTH cudaPos make_cudaPos(size_t x, size_t y, size_t z);
__HGRD_C __HGRD_BOTH cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t xsize, size_t ysize);

// Graphs
__HGRD_API cudaGraphCreate(cudaGraph_t* graph, unsigned flags);
__HGRD_API cudaGraphDestroy(cudaGraph_t graph);
__HGRD_API cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph);
__HGRD_API cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
__HGRD_API cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream);
__HGRD_API cudaGraphExecDestroy(cudaGraphExec_t graph);
__HGRD_API cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                         unsigned long long flags __HGRD_OR(0));
__HGRD_API cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
__HGRD_API cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
__HGRD_API cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count);
__HGRD_API cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type);
__HGRD_API cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned flags);
__HGRD_API cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                    size_t count);
#define __HGRD_ADD cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count
__HGRD_API cudaGraphAddNode(__HGRD_ADD, cudaGraphNodeParams* parameters);
__HGRD_API cudaGraphAddKernelNode(__HGRD_ADD, const cudaKernelNodeParams* parameters);
__HGRD_API cudaGraphAddMemcpyNode(__HGRD_ADD, const cudaMemcpy3DParms* parameters);
__HGRD_API cudaGraphAddMemcpyNode1D(__HGRD_ADD, void* to, const void* from, size_t size, cudaMemcpyKind kind);
__HGRD_API cudaGraphAddMemsetNode(__HGRD_ADD, const cudaMemsetParams* parameters);
__HGRD_API cudaGraphAddHostNode(__HGRD_ADD, const cudaHostNodeParams* parameters);
__HGRD_API cudaGraphAddChildGraphNode(__HGRD_ADD, cudaGraph_t child);
__HGRD_API cudaGraphAddEmptyNode(__HGRD_ADD);
__HGRD_API cudaGraphAddEventRecordNode(__HGRD_ADD, cudaEvent_t event);
__HGRD_API cudaGraphAddEventWaitNode(__HGRD_ADD, cudaEvent_t event);
__HGRD_API cudaGraphAddMemAllocNode(__HGRD_ADD, cudaMemAllocNodeParams* parameters);
__HGRD_API cudaGraphAddMemFreeNode(__HGRD_ADD, void* pointer);
#undef __HGRD_ADD
__HGRD_API cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters);
__HGRD_API cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters);
__HGRD_API cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                           const cudaKernelNodeAttrValue* value);
__HGRD_API cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* parameters);
__HGRD_API cudaGraphExecKernelNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node,
                                            const cudaKernelNodeParams* parameters);
__HGRD_API cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t graph, cudaGraphNode_t node, void* to, const void* from,
                                              size_t size, cudaMemcpyKind kind);
__HGRD_API cudaGraphExecHostNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node,
                                          const cudaHostNodeParams* parameters);
__HGRD_API cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node,
                                            const cudaMemsetParams* parameters);
__HGRD_API cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                            unsigned initial __HGRD_OR(0), unsigned flags __HGRD_OR(0));
__HGRD_C __HGRD_BOTH void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);

// Graphics and external resources
__HGRD_API cudaGraphicsMapResources(int count, cudaGraphicsResource_t* resources, cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t* resources, cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource);
__HGRD_API cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned flags);
__HGRD_API cudaGraphicsResourceGetMappedPointer(void** pointer, size_t* size, cudaGraphicsResource_t resource);
__HGRD_API cudaGraphicsSubResourceGetMappedArray(cudaArray_t* array, cudaGraphicsResource_t resource, unsigned index,
                                                 unsigned level);
__HGRD_API cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t* array, cudaGraphicsResource_t resource);
__HGRD_API cudaImportExternalMemory(cudaExternalMemory_t* memory, const cudaExternalMemoryHandleDesc* handle);
__HGRD_API cudaExternalMemoryGetMappedBuffer(void** pointer, cudaExternalMemory_t memory,
                                             const cudaExternalMemoryBufferDesc* buffer);
__HGRD_API cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t* array, cudaExternalMemory_t memory,
                                                     const cudaExternalMemoryMipmappedArrayDesc* mipmap);
__HGRD_API cudaDestroyExternalMemory(cudaExternalMemory_t memory);
__HGRD_API cudaImportExternalSemaphore(cudaExternalSemaphore_t* semaphore,
                                       const cudaExternalSemaphoreHandleDesc* handle);
__HGRD_API cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t* semaphores,
                                             const cudaExternalSemaphoreSignalParams* parameters, unsigned count,
                                             cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t* semaphores,
                                           const cudaExternalSemaphoreWaitParams* parameters, unsigned count,
                                           cudaStream_t stream __HGRD_OR(0));
__HGRD_API cudaDestroyExternalSemaphore(cudaExternalSemaphore_t semaphore);
#undef __HGRD_OR
