/* Sizes and strides of a tensor as kernels get them, and where an element stands by its number (ATen/cuda/detail). */
#pragma once

namespace at {
namespace cuda {
namespace detail {
template <class T, class IndexType> struct TensorInfo {
    using scalar_t = T;
    T* data;
    IndexType sizes[25];
    IndexType strides[25];
    int dims;
    __HGRD_BOTH bool isContiguous() const { return dims == 1 && strides[0] == 1; }
};
template <class T, class IndexType, int Dims> struct IndexToOffset {
    static __HGRD_BOTH IndexType get(IndexType linearId, const TensorInfo<T, IndexType>& info) {
        IndexType offset = 0;
        for (int i = (Dims < 0 ? info.dims : Dims) - 1; i > 0; --i) {
            offset += linearId % info.sizes[i] * info.strides[i];
            linearId /= info.sizes[i];
        }
        return offset + linearId * info.strides[0];
    }
};
template <class T, class IndexType> TensorInfo<T, IndexType> getTensorInfo(const Tensor& tensor) {
    TensorInfo<T, IndexType> made;
    made.data = tensor.data_ptr<::std::remove_const_t<T>>();
    made.dims = tensor.dim();
#define __HGRD_DIMENSION(D) \
    made.sizes[D] = tensor.size(D); \
    made.strides[D] = tensor.stride(D);
    __HGRD_EACH(__HGRD_DIMENSION)
#undef __HGRD_DIMENSION
    return made;
}
inline bool canUse32BitIndexMath(const Tensor& tensor, ::std::int64_t most = 0x7fffffff) {
    return tensor.numel() <= most;
}
inline bool maybeOverlappingIndices(const Tensor&) { return __either(); }
}
}
}
