// Functions of the runtime API that only C++ has: overloads and templates.
#pragma once
#define __HGRD_CXX extern __HGRD_BOTH cudaError_t
#define __HGRD_T template <class T> __HGRD_BOTH cudaError_t

__HGRD_T cudaMalloc(T** pointer, size_t size);
__HGRD_T cudaMallocHost(T** pointer, size_t size, unsigned flags = 0);
__HGRD_T cudaHostAlloc(T** pointer, size_t size, unsigned flags);
__HGRD_T cudaHostGetDevicePointer(T** device, void* host, unsigned flags);
__HGRD_T cudaMallocManaged(T** pointer, size_t size, unsigned flags = 1);
__HGRD_T cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height);
__HGRD_T cudaMallocAsync(T** pointer, size_t size, cudaStream_t stream);
__HGRD_T cudaMallocFromPoolAsync(T** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream);
__HGRD_T cudaMallocAsync(T** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream);
__HGRD_CXX cudaMemPrefetchAsync(const void* pointer, size_t size, int device, cudaStream_t stream = 0);
__HGRD_CXX cudaMemPrefetchAsync(const void* pointer, size_t size, cudaMemLocation location, unsigned flags,
                                cudaStream_t stream = 0);
__HGRD_CXX cudaMemAdvise(const void* pointer, size_t size, cudaMemoryAdvise advice, cudaMemLocation location);
__HGRD_T cudaMemcpyToSymbol(const T& symbol, const void* from, size_t size, size_t offset = 0,
                            cudaMemcpyKind kind = cudaMemcpyHostToDevice);
__HGRD_T cudaMemcpyFromSymbol(void* to, const T& symbol, size_t size, size_t offset = 0,
                              cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
__HGRD_T cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t size, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0);
__HGRD_T cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t size, size_t offset = 0,
                                   cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0);
__HGRD_T cudaGetSymbolAddress(void** pointer, const T& symbol);
__HGRD_T cudaGetSymbolSize(size_t* size, const T& symbol);
__HGRD_CXX cudaEventCreate(cudaEvent_t* event, unsigned flags = 0);
__HGRD_CXX cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t* error, char* log,
                                size_t size);
__HGRD_CXX cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags = 0);
__HGRD_CXX cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info);
__HGRD_CXX cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t* error,
                               cudaGraphExecUpdateResult* result);
__HGRD_CXX cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                            const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* parameters);
__HGRD_CXX cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                    const cudaGraphEdgeData* edges, size_t count);
__HGRD_T cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                        size_t count, const T& symbol, const void* from, size_t size, size_t offset,
                                        cudaMemcpyKind kind);
__HGRD_CXX cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                    cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                    const cudaGraphEdgeData** edges, size_t* count = 0);
__HGRD_CXX cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                               const cudaGraphEdgeData* edges, size_t count, unsigned flags = 0);

__HGRD_CXX cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                            cudaStream_t stream = 0);
__HGRD_T cudaLaunchKernel(T* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                          cudaStream_t stream = 0);
__HGRD_CXX cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                       cudaStream_t stream = 0);
__HGRD_T cudaLaunchCooperativeKernel(T* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                                     cudaStream_t stream = 0);
template <class... Formal, class... Actual>
__HGRD_BOTH cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Formal...),
                                           Actual&&... arguments);
__HGRD_T cudaSetupArgument(T argument, size_t offset);
__HGRD_CXX cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
__HGRD_T cudaLaunch(T* kernel);
__HGRD_T cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config);
__HGRD_T cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value);
__HGRD_T cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel);
__HGRD_T cudaGetFuncBySymbol(cudaFunction_t* function, T* kernel);
__HGRD_T cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel, int block, size_t shared);
__HGRD_T cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T kernel, int block, size_t shared,
                                                                unsigned flags);
__HGRD_T cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T kernel, size_t shared = 0, int limit = 0);
__HGRD_T cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, T kernel, size_t shared = 0,
                                                     int limit = 0, unsigned flags = 0);
template <class F, class T>
__HGRD_BOTH cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T kernel, F shared,
                                                                       int limit = 0);
__HGRD_T cudaOccupancyAvailableDynamicSMemPerBlock(size_t* size, T kernel, int blocks, int block);
__HGRD_T cudaOccupancyMaxActiveClusters(int* clusters, T* kernel, const cudaLaunchConfig_t* config);
__HGRD_T cudaOccupancyMaxPotentialClusterSize(int* size, T* kernel, const cudaLaunchConfig_t* config);

#undef __HGRD_CXX
#undef __HGRD_T
