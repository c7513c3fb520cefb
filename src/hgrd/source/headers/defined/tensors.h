// Tensors of PyTorch, and what extensions do with them.  The elements of a tensor are one allocation, which views share;
// sizes are not negative.  What is only declared may do anything with what it is given.
#include "tensor_numbers.h"
#if !defined(__HGRD_PRECOMPILING) && !defined(__HGRD_TENSORS)
#define __HGRD_TENSORS 1
namespace c10 {
using ::std::nullopt;
using ::std::nullopt_t;
using ::std::optional;
[[noreturn]] void __failed();
bool __either();
template <class T> T __anything();
#define TORCH_CHECK(CONDITION, ...) \
    if (!(CONDITION)) { \
        ::c10::__failed(); \
    }
#define TORCH_INTERNAL_ASSERT(...) TORCH_CHECK(__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) TORCH_CHECK(__VA_ARGS__)
#define TORCH_CHECK_VALUE(...) TORCH_CHECK(__VA_ARGS__)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b))
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b))
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b))
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b))
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b))
#define TORCH_WARN(...) ((void)0)
#define TORCH_WARN_ONCE(...) ((void)0)
#define AT_ASSERT(...) TORCH_CHECK(__VA_ARGS__)
#define AT_ASSERTM(...) TORCH_CHECK(__VA_ARGS__)
#define AT_CHECK(...) TORCH_CHECK(__VA_ARGS__)
#define AT_ERROR(...) (::c10::__failed())
#define C10_CUDA_CHECK(...) \
    do { \
        TORCH_CHECK((__VA_ARGS__) == cudaSuccess) \
    } while (0)
#define AT_CUDA_CHECK(...) C10_CUDA_CHECK(__VA_ARGS__)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define TORCH_CUDABLAS_CHECK(...) TORCH_CHECK((__VA_ARGS__) == CUBLAS_STATUS_SUCCESS)

template <class T> class ArrayRef {
  public:
    const T* data_;
    size_t length_;
    ArrayRef() : data_(nullptr), length_(0) {}
    ArrayRef(const T* data, size_t length) : data_(data), length_(length) {}
    ArrayRef(const T& one) : data_(&one), length_(1) {}
    ArrayRef(const ::std::vector<T>& all) : data_(all.data()), length_(all.size()) {}
    ArrayRef(const ::std::initializer_list<T>& all) : data_(all.begin()), length_(all.size()) {}
    template <size_t N> ArrayRef(const ::std::array<T, N>& all) : data_(all.data()), length_(N) {}
    size_t size() const { return length_; }
    bool empty() const { return length_ == 0; }
    const T* data() const { return data_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + length_; }
    const T& operator[](size_t i) const { return data_[i]; }
    const T& at(size_t i) const { return data_[i]; }
    const T& front() const { return data_[0]; }
    const T& back() const { return data_[length_ - 1]; }
    ArrayRef slice(size_t first, size_t count) const { return ArrayRef(data_ + first, count); }
    ::std::vector<T> vec() const;
};
template <class T> bool operator==(ArrayRef<T>, ArrayRef<T>);
template <class T> bool operator!=(ArrayRef<T>, ArrayRef<T>);
template <class T> ::std::ostream& operator<<(::std::ostream&, ArrayRef<T>);
using IntArrayRef = ArrayRef<::std::int64_t>;

enum class DeviceType : signed char { CPU, CUDA };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;
using DeviceIndex = signed char;
struct Device {
    DeviceType type_ = kCUDA;
    DeviceIndex index_ = -1;
    Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
    Device(const ::std::string&);
    Device(const char*);
    DeviceType type() const { return type_; }
    DeviceIndex index() const { return index_; }
    bool is_cuda() const { return type_ == kCUDA; }
    bool is_cpu() const { return type_ == kCPU; }
    bool is_meta() const;
    bool operator==(const Device& other) const { return type_ == other.type_ && index_ == other.index_; }
    bool operator!=(const Device& other) const { return !(*this == other); }
};
enum class MemoryFormat : signed char { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum class Layout : signed char { Strided, Sparse };
constexpr Layout kStrided = Layout::Strided;
struct Scalar {
    template <class T> Scalar(T);
    template <class T> T to() const;
};
struct TensorOptions {
    ScalarType type_ = kFloat;
    TensorOptions() = default;
    TensorOptions(ScalarType type) : type_(type) {}
    TensorOptions(Device) {}
    TensorOptions(DeviceType) {}
    TensorOptions dtype(ScalarType type) const { return TensorOptions(type); }
    TensorOptions device(Device) const { return *this; }
    TensorOptions device(DeviceType, int = 0) const { return *this; }
    TensorOptions requires_grad(bool) const { return *this; }
    TensorOptions layout(Layout) const { return *this; }
    TensorOptions memory_format(MemoryFormat) const { return *this; }
    TensorOptions pinned_memory(bool) const { return *this; }
};
using Stream = cudaStream_t;
struct Storage {
    void* data_;
    void* data() const { return data_; }
    size_t nbytes() const;
};

namespace cuda {
extern cudaStream_t __current;
struct CUDAStream {
    cudaStream_t stream_;
    explicit CUDAStream(cudaStream_t stream = __current) : stream_(stream) {}
    cudaStream_t stream() const { return stream_; }
    operator cudaStream_t() const { return stream_; }
    DeviceIndex device_index() const;
    void synchronize() const { cudaStreamSynchronize(stream_); }
};
inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) { return CUDAStream(__current); }
inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) { return CUDAStream(nullptr); }
CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1);
void setCurrentCUDAStream(CUDAStream);
DeviceIndex current_device();
void set_device(DeviceIndex);
DeviceIndex ExchangeDevice(DeviceIndex);
DeviceIndex MaybeExchangeDevice(DeviceIndex);
void SetDevice(DeviceIndex);
void MaybeSetDevice(DeviceIndex);
DeviceIndex device_count();
void device_synchronize();
struct CUDAGuard {
    CUDAGuard(DeviceIndex) {}
    CUDAGuard(Device) {}
    CUDAGuard(const CUDAGuard&) = delete;
};
struct OptionalCUDAGuard {
    OptionalCUDAGuard() {}
    OptionalCUDAGuard(optional<Device>) {}
    OptionalCUDAGuard(Device) {}
    void set_device(Device) {}
    void set_index(DeviceIndex) {}
};
struct CUDAStreamGuard {
    explicit CUDAStreamGuard(CUDAStream stream) { setCurrentCUDAStream(stream); }
};
}
}

namespace at {
using namespace c10;
template <class T> struct DefaultPtrTraits { using PtrType = T*; };
template <class T> struct RestrictPtrTraits { using PtrType = T* __restrict__; };
template <class T, size_t N, class Index> struct __Accessor {
    T* data_;
    const Index* sizes_;
    const Index* strides_;
    __HGRD_BOTH __Accessor(T* data, const Index* sizes, const Index* strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    __HGRD_BOTH Index size(Index d) const { return sizes_[d]; }
    __HGRD_BOTH Index stride(Index d) const { return strides_[d]; }
    __HGRD_BOTH T* data() const { return data_; }
    __HGRD_BOTH decltype(auto) operator[](Index i) const {
        if constexpr (N == 1) return (data_[strides_[0] * i]);
        else return __Accessor<T, N - 1, Index>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
};
template <class T, size_t N, class Index> struct __PackedAccessor {
    T* data_;
    Index sizes_[N];
    Index strides_[N];
    __HGRD_BOTH Index size(Index d) const { return sizes_[d]; }
    __HGRD_BOTH Index stride(Index d) const { return strides_[d]; }
    __HGRD_BOTH T* data() const { return data_; }
    __HGRD_BOTH decltype(auto) operator[](Index i) const {
        if constexpr (N == 1) return (data_[strides_[0] * i]);
        else return __Accessor<T, N - 1, Index>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = ::std::int64_t>
using TensorAccessor = __Accessor<T, N, Index>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = ::std::int64_t>
using GenericPackedTensorAccessor = __PackedAccessor<T, N, Index>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, ::std::int64_t>;

#define __HGRD_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)  // loops would be summarised

class Tensor {
  public:
    void* data_ = nullptr;
    ::std::int64_t dim_ = 0;
    ::std::int64_t numel_ = 0;
    ::std::int64_t sizes_[8] = {};
    ::std::int64_t strides_[8] = {};
    ScalarType type_ = kFloat;
    bool defined_ = false;

    ::std::int64_t size(::std::int64_t d) const {
        ::std::int64_t found = sizes_[d < 0 ? d + dim_ : d];
        __hgrd_assert(found >= 0);
        return found;
    }
    ::std::int64_t numel() const {
        __hgrd_assert(numel_ >= 0);
        return numel_;
    }
    ::std::int64_t stride(::std::int64_t d) const {
        ::std::int64_t found = strides_[d < 0 ? d + dim_ : d];
        __hgrd_assert(found >= 0);
        return found;
    }
    ::std::int64_t dim() const {
        __hgrd_assert(dim_ >= 0 && dim_ <= 8);
        return dim_;
    }
    ::std::int64_t ndimension() const { return dim(); }
    IntArrayRef sizes() const { return IntArrayRef(sizes_, dim_); }
    IntArrayRef strides() const { return IntArrayRef(strides_, dim_); }
    template <class T> T* data_ptr() const { return static_cast<T*>(data_); }
    template <class T> T* data() const { return static_cast<T*>(data_); }
    template <class T> T* mutable_data_ptr() const { return static_cast<T*>(data_); }
    template <class T> const T* const_data_ptr() const { return static_cast<const T*>(data_); }
    void* data_ptr() const { return data_; }
    void* mutable_data_ptr() const { return data_; }
    const void* const_data_ptr() const { return data_; }
    Storage storage() const { return Storage{data_}; }
    ScalarType scalar_type() const { return type_; }
    ScalarType dtype() const { return type_; }
    TensorOptions options() const { return TensorOptions(type_); }
    Device device() const;
    DeviceIndex get_device() const;
    Layout layout() const;
    bool defined() const { return defined_; }
    bool is_cuda() const;
    bool is_cpu() const;
    bool is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const;
    bool is_floating_point() const;
    bool is_complex() const;
    bool is_sparse() const;
    bool requires_grad() const;
    bool is_same_size(const Tensor&) const;
    bool sameis(const Tensor&) const;
    size_t nbytes() const;
    size_t itemsize() const;
    size_t element_size() const;
    ::std::int64_t storage_offset() const;
    template <class T> T item() const;
    Scalar item() const;
    operator bool() const = delete;

    template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
    PackedTensorAccessor32<T, N, Traits> packed_accessor32() const { return __packed<T, N, Traits, int>(); }
    template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
    PackedTensorAccessor64<T, N, Traits> packed_accessor64() const { return __packed<T, N, Traits, ::std::int64_t>(); }
    template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = ::std::int64_t>
    GenericPackedTensorAccessor<T, N, Traits, Index> packed_accessor() const { return __packed<T, N, Traits, Index>(); }
    template <class T, size_t N> TensorAccessor<T, N> accessor() const {
        return TensorAccessor<T, N>(static_cast<T*>(data_), sizes_, strides_);
    }
    template <class T, size_t N, template <class> class Traits, class Index>
    GenericPackedTensorAccessor<T, N, Traits, Index> __packed() const {
        GenericPackedTensorAccessor<T, N, Traits, Index> made;
        made.data_ = static_cast<T*>(data_);
#define __HGRD_DIMENSION(D) \
    if constexpr (D < N) { \
        made.sizes_[D] = size(D); \
        made.strides_[D] = stride(D); \
    }
        __HGRD_EACH(__HGRD_DIMENSION)
#undef __HGRD_DIMENSION
        return made;
    }

    // These are views, or may be.
#define __HGRD_VIEW(NAME) \
    template <class... A> Tensor NAME(A&&...) const { return __view(); }
    __HGRD_VIEW(view) __HGRD_VIEW(reshape) __HGRD_VIEW(transpose) __HGRD_VIEW(permute) __HGRD_VIEW(narrow)
    __HGRD_VIEW(select) __HGRD_VIEW(slice) __HGRD_VIEW(squeeze) __HGRD_VIEW(unsqueeze) __HGRD_VIEW(flatten)
    __HGRD_VIEW(expand) __HGRD_VIEW(expand_as) __HGRD_VIEW(view_as) __HGRD_VIEW(t) __HGRD_VIEW(index)
    __HGRD_VIEW(operator[]) __HGRD_VIEW(as_strided) __HGRD_VIEW(unfold) __HGRD_VIEW(diagonal)
#undef __HGRD_VIEW
    Tensor index(::std::initializer_list<int>) const { return __view(); }
    Tensor view(IntArrayRef) const { return __view(); }
    Tensor reshape(IntArrayRef) const { return __view(); }
    Tensor permute(IntArrayRef) const { return __view(); }
    Tensor detach() const { return *this; }
    Tensor contiguous(MemoryFormat = MemoryFormat::Contiguous) const { return __perhaps_copied(); }
    template <class... A> Tensor to(A&&...) const { return __perhaps_copied(); }
    template <class... A> Tensor type(A&&...) const { return __perhaps_copied(); }
    Tensor toType(ScalarType) const { return __perhaps_copied(); }
    Tensor cuda() const { return __perhaps_copied(); }
    Tensor cpu() const { return __perhaps_copied(); }
    Tensor half() const { return __perhaps_copied(); }
    // These change the elements, and are the same tensor.
#define __HGRD_CHANGED(NAME) \
    template <class... A> Tensor NAME(A&&...) const { __changed(data_); return *this; }
    __HGRD_CHANGED(zero_) __HGRD_CHANGED(fill_) __HGRD_CHANGED(copy_) __HGRD_CHANGED(add_) __HGRD_CHANGED(sub_)
    __HGRD_CHANGED(mul_) __HGRD_CHANGED(div_) __HGRD_CHANGED(masked_fill_) __HGRD_CHANGED(random_)
    __HGRD_CHANGED(uniform_) __HGRD_CHANGED(normal_) __HGRD_CHANGED(index_put_) __HGRD_CHANGED(set_requires_grad)
#undef __HGRD_CHANGED
    Tensor resize_(IntArrayRef sizes, MemoryFormat = MemoryFormat::Contiguous) {
        return *this = __fresh(sizes, type_);
    }
    template <class... A> Tensor resize_as_(A&&...) { return *this = __fresh(type_); }
    // These are new.
#define __HGRD_NEW(NAME) \
    template <class... A> Tensor NAME(A&&...) const { return __fresh(type_); }
    __HGRD_NEW(clone) __HGRD_NEW(new_empty) __HGRD_NEW(new_zeros) __HGRD_NEW(sum) __HGRD_NEW(mean) __HGRD_NEW(max)
    __HGRD_NEW(min) __HGRD_NEW(abs) __HGRD_NEW(add) __HGRD_NEW(sub) __HGRD_NEW(mul) __HGRD_NEW(div) __HGRD_NEW(matmul)
    __HGRD_NEW(mm) __HGRD_NEW(bmm) __HGRD_NEW(argmax) __HGRD_NEW(cumsum) __HGRD_NEW(exp) __HGRD_NEW(sqrt)
    __HGRD_NEW(pow) __HGRD_NEW(nonzero) __HGRD_NEW(index_select) __HGRD_NEW(eq) __HGRD_NEW(ne) __HGRD_NEW(gt)
    __HGRD_NEW(lt) __HGRD_NEW(repeat) __HGRD_NEW(softmax) __HGRD_NEW(flip) __HGRD_NEW(norm)
#undef __HGRD_NEW

    static void __changed(void*);
    Tensor __view() const {
        Tensor made = *this;
        made.__reshape();
        made.data_ = static_cast<char*>(data_) + __anything<::std::int64_t>();
        return made;
    }
    Tensor __perhaps_copied() const {
        Tensor made = *this;
        if (__either()) made.data_ = __memory();
        made.type_ = __anything<ScalarType>();
        made.__restride();
        return made;
    }
    void __restride() {
#define __HGRD_STRIDE(D) strides_[D] = __anything<::std::int64_t>();
        __HGRD_EACH(__HGRD_STRIDE)
#undef __HGRD_STRIDE
    }
    void __reshape() {
        dim_ = __anything<::std::int64_t>();
        numel_ = __anything<::std::int64_t>();
#define __HGRD_SIZE(D) sizes_[D] = __anything<::std::int64_t>();
        __HGRD_EACH(__HGRD_SIZE)
#undef __HGRD_SIZE
        __restride();
    }
    static void* __memory() {
        void* made = nullptr;
        cudaMalloc(&made, __anything<size_t>());
        return made;
    }
    static Tensor __fresh(ScalarType type) {
        Tensor made;
        made.__reshape();
        made.data_ = __memory();
        made.type_ = type;
        made.defined_ = true;
        return made;
    }
    static Tensor __fresh(IntArrayRef sizes, ScalarType type) {
        Tensor made = __fresh(type);
        made.dim_ = sizes.size();
#define __HGRD_GIVEN(D) \
    if (D < made.dim_) made.sizes_[D] = sizes[D];
        __HGRD_EACH(__HGRD_GIVEN)
#undef __HGRD_GIVEN
        return made;
    }
};
#define __HGRD_ARITHMETIC(O) \
    inline Tensor operator O(const Tensor& a, const Tensor&) { return Tensor::__fresh(a.type_); } \
    template <class S> Tensor operator O(const Tensor& a, S) { return Tensor::__fresh(a.type_); } \
    template <class S> Tensor operator O(S, const Tensor& a) { return Tensor::__fresh(a.type_); }
__HGRD_ARITHMETIC(+) __HGRD_ARITHMETIC(-) __HGRD_ARITHMETIC(*) __HGRD_ARITHMETIC(/)
__HGRD_ARITHMETIC(==) __HGRD_ARITHMETIC(!=) __HGRD_ARITHMETIC(<) __HGRD_ARITHMETIC(<=)
__HGRD_ARITHMETIC(>) __HGRD_ARITHMETIC(>=) __HGRD_ARITHMETIC(&) __HGRD_ARITHMETIC(|)
#undef __HGRD_ARITHMETIC
#define __HGRD_MADE(NAME) \
    inline Tensor NAME(IntArrayRef sizes, TensorOptions options = {}) { return Tensor::__fresh(sizes, options.type_); }
__HGRD_MADE(empty) __HGRD_MADE(zeros) __HGRD_MADE(ones) __HGRD_MADE(rand) __HGRD_MADE(randn)
#undef __HGRD_MADE
template <class S> Tensor full(IntArrayRef sizes, S, TensorOptions options = {}) {
    return Tensor::__fresh(sizes, options.type_);
}
#define __HGRD_ALIKE(NAME) \
    template <class... A> Tensor NAME(const Tensor& of, A&&...) { \
        Tensor made = of; \
        made.data_ = Tensor::__memory(); \
        made.__restride(); \
        return made; \
    } \
    inline Tensor NAME(const Tensor& of, TensorOptions options) { \
        Tensor made = of; \
        made.data_ = Tensor::__memory(); \
        made.type_ = options.type_; \
        made.__restride(); \
        return made; \
    }
__HGRD_ALIKE(empty_like) __HGRD_ALIKE(zeros_like) __HGRD_ALIKE(ones_like) __HGRD_ALIKE(full_like)
__HGRD_ALIKE(rand_like) __HGRD_ALIKE(randn_like)
#undef __HGRD_ALIKE
template <class... A> Tensor arange(A&&...) { return Tensor::__fresh(kLong); }
template <class... A> Tensor tensor(A&&...) { return Tensor::__fresh(kFloat); }
template <class... A> Tensor cat(A&&...) { return Tensor::__fresh(kFloat); }
template <class... A> Tensor stack(A&&...) { return Tensor::__fresh(kFloat); }
template <class... A> Tensor matmul(A&&...) { return Tensor::__fresh(kFloat); }
template <class... A> Tensor sum(A&&...) { return Tensor::__fresh(kFloat); }
template <class... A> Tensor from_blob(void* data, A&&...) {
    Tensor made;
    made.__reshape();
    made.data_ = data;
    return made;
}

struct Generator {
    ::std::mutex& mutex() const;
};
struct PhiloxCudaState {
    ::std::uint64_t seed_ = 0;
    ::std::uint64_t offset_ = 0;
    PhiloxCudaState() = default;
    PhiloxCudaState(::std::uint64_t seed, ::std::uint64_t offset) : seed_(seed), offset_(offset) {}
};
struct CUDAGeneratorImpl {
    ::std::mutex mutex_;
    PhiloxCudaState philox_cuda_state(::std::uint64_t);
    ::std::pair<::std::uint64_t, ::std::uint64_t> philox_engine_inputs(::std::uint64_t);
};
template <class T> T* get_generator_or_default(const optional<Generator>&, const Generator&);
template <class T> T* check_generator(optional<Generator>);
namespace cuda {
using namespace c10::cuda;
using CUDAGuard = c10::cuda::CUDAGuard;
using OptionalCUDAGuard = c10::cuda::OptionalCUDAGuard;
cudaDeviceProp* getCurrentDeviceProperties();
cudaDeviceProp* getDeviceProperties(DeviceIndex);
cublasHandle_t getCurrentCUDABlasHandle();
inline int warp_size() { return 32; }
template <class A, class B> __HGRD_BOTH constexpr A ATenCeilDiv(A a, B b) { return (a + b - 1) / b; }
namespace detail {
const Generator& getDefaultCUDAGenerator(DeviceIndex = -1);
}
namespace philox {
__HGRD_BOTH inline ::std::tuple<::std::uint64_t, ::std::uint64_t> unpack(const PhiloxCudaState& state) {
    return ::std::tuple<::std::uint64_t, ::std::uint64_t>(state.seed_, state.offset_);
}
}
}
inline optional<Device> device_of(const Tensor& tensor) { return tensor.device(); }
template <class A, class B> __HGRD_BOTH constexpr A ceil_div(A a, B b) { return (a + b - 1) / b; }
inline ScalarType scalar_type(ScalarType type) { return type; }
}
namespace torch {
using namespace at;
using at::Tensor;
using Dtype = c10::ScalarType;
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device) { return TensorOptions(); }
namespace cuda {
using namespace c10::cuda;
void synchronize(::std::int64_t = -1);
}
struct NoGradGuard {};
namespace indexing {
struct Slice { template <class... A> Slice(A&&...) {} };
struct None_t {};
constexpr None_t None = {};
}
}

#include "dispatch.h"
#include "tensor_info.h"

// ---------------------------------------------------------------- bindings

namespace pybind11 {
struct arg {
    explicit arg(const char*);
    template <class T> arg operator=(T&&) const;
};
struct handle {};
struct object : handle {};
struct none : object {};
struct gil_scoped_release {};
struct gil_scoped_acquire {};
template <class...> struct init {};
struct module_ : object {
    template <class F, class... A> module_& def(const char*, F&&, const A&...);
    template <class T> module_& attr(const char*);
    const char*& doc();
};
using module = module_;
template <class T, class... B> struct class_ : object {
    template <class... A> class_(const module_&, const char*, const A&...);
    template <class... A> class_& def(A&&...);
    template <class... A> class_& def_readwrite(A&&...);
    template <class... A> class_& def_readonly(A&&...);
};
}
namespace torch {
namespace py = pybind11;
struct Library {
    template <class... A> Library& def(A&&...);
    template <class... A> Library& impl(A&&...);
};
}
namespace py = pybind11;
#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME extension
#endif
#define __HGRD_JOINED(A, B) A##B
#define __HGRD_JOIN(A, B) __HGRD_JOINED(A, B)
#define PYBIND11_MODULE(NAME, VARIABLE) void __HGRD_JOIN(__module_, NAME)(::pybind11::module_ & VARIABLE)
#define TORCH_LIBRARY(NAME, VARIABLE) void __HGRD_JOIN(__library_, NAME)(::torch::Library & VARIABLE)
#define TORCH_LIBRARY_FRAGMENT(NAME, VARIABLE) void __HGRD_JOIN(__fragment_, NAME)(::torch::Library & VARIABLE)
#define TORCH_LIBRARY_IMPL(NAME, KEY, VARIABLE) void __HGRD_JOIN(__library_##NAME##_, KEY)(::torch::Library & VARIABLE)
#endif
