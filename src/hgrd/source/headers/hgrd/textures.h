// Texture and surface objects, and the references of old.
#pragma once
template <class T, int Type = cudaTextureType1D, cudaTextureReadMode Mode = cudaReadModeElementType>
struct texture : textureReference {
    texture(int normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
            cudaTextureAddressMode address = cudaAddressModeClamp);
    texture(int normalized, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc desc);
};
template <class T, int Type = cudaSurfaceType1D> struct surface : surfaceReference {};

// What a fetch through a reference gives.
template <class T, cudaTextureReadMode Mode> struct __hgrd_texel { typedef T type; };
#define __HGRD_NORMALIZED(T) \
    template <> struct __hgrd_texel<T##1, cudaReadModeNormalizedFloat> { typedef float1 type; }; \
    template <> struct __hgrd_texel<T##2, cudaReadModeNormalizedFloat> { typedef float2 type; }; \
    template <> struct __hgrd_texel<T##4, cudaReadModeNormalizedFloat> { typedef float4 type; };
__HGRD_NORMALIZED(char) __HGRD_NORMALIZED(uchar) __HGRD_NORMALIZED(short) __HGRD_NORMALIZED(ushort)
#undef __HGRD_NORMALIZED
template <> struct __hgrd_texel<signed char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct __hgrd_texel<char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct __hgrd_texel<unsigned char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct __hgrd_texel<short, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct __hgrd_texel<unsigned short, cudaReadModeNormalizedFloat> { typedef float type; };

#define __HGRD_FETCH(NAME, ...) \
    template <class T> __HGRD_DEVICE T NAME(cudaTextureObject_t object, __VA_ARGS__); \
    template <class T> __HGRD_DEVICE void NAME(T* value, cudaTextureObject_t object, __VA_ARGS__); \
    template <class T, int Type, cudaTextureReadMode Mode> \
    __HGRD_DEVICE typename __hgrd_texel<T, Mode>::type NAME(const texture<T, Type, Mode>& reference, __VA_ARGS__);
__HGRD_FETCH(tex1Dfetch, int x)
__HGRD_FETCH(tex1D, float x)
__HGRD_FETCH(tex2D, float x, float y)
__HGRD_FETCH(tex3D, float x, float y, float z)
__HGRD_FETCH(tex1DLayered, float x, int layer)
__HGRD_FETCH(tex2DLayered, float x, float y, int layer)
__HGRD_FETCH(texCubemap, float x, float y, float z)
__HGRD_FETCH(texCubemapLayered, float x, float y, float z, int layer)
__HGRD_FETCH(tex1DLod, float x, float level)
__HGRD_FETCH(tex2DLod, float x, float y, float level)
__HGRD_FETCH(tex3DLod, float x, float y, float z, float level)
__HGRD_FETCH(tex1DLayeredLod, float x, int layer, float level)
__HGRD_FETCH(tex2DLayeredLod, float x, float y, int layer, float level)
__HGRD_FETCH(tex1DGrad, float x, float dx, float dy)
__HGRD_FETCH(tex2DGrad, float x, float y, float2 dx, float2 dy)
__HGRD_FETCH(tex3DGrad, float x, float y, float z, float4 dx, float4 dy)
__HGRD_FETCH(tex2Dgather, float x, float y, int component = 0)
#undef __HGRD_FETCH

#define __HGRD_SURFACE(NAME, ...) \
    template <class T> \
    __HGRD_DEVICE T NAME##read(cudaSurfaceObject_t object, __VA_ARGS__, \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap); \
    template <class T> \
    __HGRD_DEVICE void NAME##read(T* value, cudaSurfaceObject_t object, __VA_ARGS__, \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap); \
    template <class T> \
    __HGRD_DEVICE void NAME##write(T value, cudaSurfaceObject_t object, __VA_ARGS__, \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap); \
    template <class T, class S, int Type> \
    __HGRD_DEVICE T NAME##read(const surface<S, Type>& reference, __VA_ARGS__, \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap); \
    template <class T, class S, int Type> \
    __HGRD_DEVICE void NAME##read(T* value, const surface<S, Type>& reference, __VA_ARGS__, \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap); \
    template <class T, class S, int Type> \
    __HGRD_DEVICE void NAME##write(T value, const surface<S, Type>& reference, __VA_ARGS__, \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap);
__HGRD_SURFACE(surf1D, int x)
__HGRD_SURFACE(surf2D, int x, int y)
__HGRD_SURFACE(surf3D, int x, int y, int z)
__HGRD_SURFACE(surf1DLayered, int x, int layer)
__HGRD_SURFACE(surf2DLayered, int x, int y, int layer)
__HGRD_SURFACE(surfCubemap, int x, int y, int face)
__HGRD_SURFACE(surfCubemapLayered, int x, int y, int face)
#undef __HGRD_SURFACE

extern __HGRD_BOTH cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind);
template <class T> __HGRD_BOTH cudaChannelFormatDesc cudaCreateChannelDesc();
extern __HGRD_BOTH cudaChannelFormatDesc cudaCreateChannelDescHalf();

#define __HGRD_T template <class T, int Type, cudaTextureReadMode Mode> __HGRD_BOTH cudaError_t
__HGRD_T cudaBindTexture(size_t* offset, const texture<T, Type, Mode>& reference, const void* pointer,
                         const cudaChannelFormatDesc& desc, size_t size = UINT_MAX);
__HGRD_T cudaBindTexture(size_t* offset, const texture<T, Type, Mode>& reference, const void* pointer,
                         size_t size = UINT_MAX);
__HGRD_T cudaBindTexture2D(size_t* offset, const texture<T, Type, Mode>& reference, const void* pointer,
                           const cudaChannelFormatDesc& desc, size_t width, size_t height, size_t pitch);
__HGRD_T cudaBindTexture2D(size_t* offset, const texture<T, Type, Mode>& reference, const void* pointer, size_t width,
                           size_t height, size_t pitch);
__HGRD_T cudaBindTextureToArray(const texture<T, Type, Mode>& reference, cudaArray_const_t array,
                                const cudaChannelFormatDesc& desc);
__HGRD_T cudaBindTextureToArray(const texture<T, Type, Mode>& reference, cudaArray_const_t array);
__HGRD_T cudaBindTextureToMipmappedArray(const texture<T, Type, Mode>& reference, cudaMipmappedArray_const_t array,
                                         const cudaChannelFormatDesc& desc);
__HGRD_T cudaUnbindTexture(const texture<T, Type, Mode>& reference);
__HGRD_T cudaGetTextureAlignmentOffset(size_t* offset, const texture<T, Type, Mode>& reference);
#undef __HGRD_T
template <class T, int Type> __HGRD_BOTH cudaError_t cudaBindSurfaceToArray(const surface<T, Type>& reference,
                                                                            cudaArray_const_t array);
template <class T, int Type>
__HGRD_BOTH cudaError_t cudaBindSurfaceToArray(const surface<T, Type>& reference, cudaArray_const_t array,
                                               const cudaChannelFormatDesc& desc);
__HGRD_C __HGRD_BOTH cudaError_t cudaBindTexture(size_t* offset, const textureReference* reference, const void* pointer,
                                                 const cudaChannelFormatDesc* desc, size_t size = UINT_MAX);
__HGRD_C __HGRD_BOTH cudaError_t cudaBindTexture2D(size_t* offset, const textureReference* reference,
                                                   const void* pointer, const cudaChannelFormatDesc* desc,
                                                   size_t width, size_t height, size_t pitch);
__HGRD_C __HGRD_BOTH cudaError_t cudaBindTextureToArray(const textureReference* reference, cudaArray_const_t array,
                                                        const cudaChannelFormatDesc* desc);
__HGRD_C __HGRD_BOTH cudaError_t cudaUnbindTexture(const textureReference* reference);
__HGRD_C __HGRD_BOTH cudaError_t cudaGetTextureReference(const textureReference** reference, const void* symbol);
