// Numbers of PyTorch: small floats, complex ones, the types of elements.
#include "../hgrd/tensor_parts.h"
#if !defined(__HGRD_PRECOMPILING) && !defined(__HGRD_TENSOR_NUMBERS)
#define __HGRD_TENSOR_NUMBERS 1
#define C10_HOST_DEVICE __HGRD_BOTH
#define C10_DEVICE __HGRD_DEVICE
#define C10_HOST
#define C10_ALWAYS_INLINE inline
#define C10_LIKELY(x) (x)
#define C10_UNLIKELY(x) (x)
#define C10_UNUSED
#define C10_RESTRICT __restrict__
#define C10_WARP_SIZE 32
#define C10_API
#define C10_EXPORT
#define TORCH_API
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define AT_CUDA_API
namespace c10 {
struct Half;
struct BFloat16;
#define __HGRD_MIXED(T, O) \
    __HGRD_BOTH inline T operator O(const T& a, const T& b) { return T(float(a) O float(b)); } \
    __HGRD_BOTH inline float operator O(const T& a, float b) { return float(a) O b; } \
    __HGRD_BOTH inline float operator O(float a, const T& b) { return a O float(b); } \
    __HGRD_BOTH inline double operator O(const T& a, double b) { return double(a) O b; } \
    __HGRD_BOTH inline double operator O(double a, const T& b) { return a O double(b); } \
    __HGRD_BOTH inline T operator O(const T& a, int b) { return T(float(a) O float(b)); } \
    __HGRD_BOTH inline T operator O(int a, const T& b) { return T(float(a) O float(b)); } \
    __HGRD_BOTH inline T operator O(const T& a, ::std::int64_t b) { return T(float(a) O float(b)); } \
    __HGRD_BOTH inline T operator O(::std::int64_t a, const T& b) { return T(float(a) O float(b)); } \
    __HGRD_BOTH inline T& operator O##=(T& a, const T& b) { return a = a O b; } \
    __HGRD_BOTH inline float& operator O##=(float& a, const T& b) { return a = a O float(b); }
#define __HGRD_COMPARED_WITH(T, O, U) \
    __HGRD_BOTH inline bool operator O(const T& a, U b) { return float(a) O b; } \
    __HGRD_BOTH inline bool operator O(U a, const T& b) { return a O float(b); }
#define __HGRD_COMPARED(T, O) \
    __HGRD_BOTH inline bool operator O(const T& a, const T& b) { return float(a) O float(b); } \
    __HGRD_COMPARED_WITH(T, O, float) __HGRD_COMPARED_WITH(T, O, double) __HGRD_COMPARED_WITH(T, O, int) \
    __HGRD_COMPARED_WITH(T, O, unsigned) __HGRD_COMPARED_WITH(T, O, ::std::int64_t)
#define __HGRD_SMALL_NUMBER(T, CUDA, TO_FLOAT, FROM_FLOAT, BITS, FROM_BITS) \
    struct alignas(2) T { \
        unsigned short x; \
        struct from_bits_t {}; \
        static constexpr from_bits_t from_bits() { return from_bits_t(); } \
        T() = default; \
        constexpr __HGRD_BOTH T(unsigned short bits, from_bits_t) : x(bits) {} \
        __HGRD_BOTH T(float value) : x(BITS(FROM_FLOAT(value))) {} \
        __HGRD_BOTH T(const CUDA& value) : x(BITS(value)) {} \
        __HGRD_BOTH operator float() const { return TO_FLOAT(FROM_BITS(x)); } \
        __HGRD_BOTH operator CUDA() const { return FROM_BITS(x); } \
    }; \
    __HGRD_MIXED(T, +) __HGRD_MIXED(T, -) __HGRD_MIXED(T, *) __HGRD_MIXED(T, /) \
    __HGRD_COMPARED(T, ==) __HGRD_COMPARED(T, !=) __HGRD_COMPARED(T, <) __HGRD_COMPARED(T, <=) \
    __HGRD_COMPARED(T, >) __HGRD_COMPARED(T, >=) \
    __HGRD_BOTH inline T operator-(const T& a) { return T(-float(a)); }
__HGRD_SMALL_NUMBER(Half, ::__half, ::__half2float, ::__float2half, ::__half_as_ushort, ::__ushort_as_half)
__HGRD_SMALL_NUMBER(BFloat16, ::__nv_bfloat16, ::__bfloat162float, ::__float2bfloat16, ::__bfloat16_as_ushort,
                    ::__ushort_as_bfloat16)
#undef __HGRD_SMALL_NUMBER
#undef __HGRD_COMPARED
#undef __HGRD_COMPARED_WITH
#undef __HGRD_MIXED
template <class T> struct alignas(sizeof(T) * 2) complex {
    using value_type = T;
    T real_ = T(0);
    T imag_ = T(0);
    constexpr complex() = default;
    __HGRD_BOTH constexpr complex(const T& real, const T& imag = T()) : real_(real), imag_(imag) {}
    template <class U> __HGRD_BOTH explicit constexpr complex(const complex<U>& z) : real_(z.real()), imag_(z.imag()) {}
    __HGRD_BOTH constexpr T real() const { return real_; }
    __HGRD_BOTH constexpr T imag() const { return imag_; }
    __HGRD_BOTH constexpr void real(T value) { real_ = value; }
    __HGRD_BOTH constexpr void imag(T value) { imag_ = value; }
    __HGRD_BOTH constexpr complex& operator=(T value) { real_ = value; imag_ = T(); return *this; }
    __HGRD_BOTH constexpr complex& operator+=(const complex& z) { real_ += z.real_; imag_ += z.imag_; return *this; }
    __HGRD_BOTH constexpr complex& operator-=(const complex& z) { real_ -= z.real_; imag_ -= z.imag_; return *this; }
    __HGRD_BOTH constexpr complex& operator+=(T v) { real_ += v; return *this; }
    __HGRD_BOTH constexpr complex& operator-=(T v) { real_ -= v; return *this; }
    __HGRD_BOTH constexpr complex& operator*=(T v) { real_ *= v; imag_ *= v; return *this; }
    __HGRD_BOTH constexpr complex& operator/=(T v) { real_ /= v; imag_ /= v; return *this; }
    __HGRD_BOTH constexpr complex& operator*=(const complex& z) {
        T a = real_ * z.real_ - imag_ * z.imag_;
        imag_ = real_ * z.imag_ + imag_ * z.real_;
        real_ = a;
        return *this;
    }
    __HGRD_BOTH constexpr complex& operator/=(const complex& z) {
        T n = z.real_ * z.real_ + z.imag_ * z.imag_, a = (real_ * z.real_ + imag_ * z.imag_) / n;
        imag_ = (imag_ * z.real_ - real_ * z.imag_) / n;
        real_ = a;
        return *this;
    }
};
#define __HGRD_COMPLEX(O) \
    template <class T> __HGRD_BOTH constexpr complex<T> operator O(complex<T> a, const complex<T>& b) { return a O##= b; } \
    template <class T> __HGRD_BOTH constexpr complex<T> operator O(complex<T> a, const T& b) { return a O##= b; } \
    template <class T> __HGRD_BOTH constexpr complex<T> operator O(const T& a, const complex<T>& b) { \
        complex<T> r(a); \
        return r O##= b; \
    }
__HGRD_COMPLEX(+) __HGRD_COMPLEX(-) __HGRD_COMPLEX(*) __HGRD_COMPLEX(/)
#undef __HGRD_COMPLEX
template <class T> __HGRD_BOTH constexpr complex<T> operator-(const complex<T>& z) {
    return complex<T>(-z.real(), -z.imag());
}
template <class T> __HGRD_BOTH constexpr bool operator==(const complex<T>& a, const complex<T>& b) {
    return a.real() == b.real() && a.imag() == b.imag();
}
template <class T> struct scalar_value_type { using type = T; };
template <class T> struct scalar_value_type<complex<T>> { using type = T; };
enum class ScalarType : signed char {
    Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool, QInt8, QUInt8,
    QInt32, BFloat16, Undefined, NumOptions
};
template <ScalarType> struct __element;
#define __HGRD_ELEMENT(NAME, ...) \
    template <> struct __element<ScalarType::NAME> { using type = __VA_ARGS__; }; \
    constexpr ScalarType k##NAME = ScalarType::NAME;
__HGRD_ELEMENT(Byte, ::std::uint8_t) __HGRD_ELEMENT(Char, ::std::int8_t) __HGRD_ELEMENT(Short, ::std::int16_t)
__HGRD_ELEMENT(Int, int) __HGRD_ELEMENT(Long, ::std::int64_t) __HGRD_ELEMENT(Half, ::c10::Half)
__HGRD_ELEMENT(Float, float) __HGRD_ELEMENT(Double, double) __HGRD_ELEMENT(ComplexFloat, complex<float>)
__HGRD_ELEMENT(ComplexDouble, complex<double>) __HGRD_ELEMENT(Bool, bool) __HGRD_ELEMENT(BFloat16, ::c10::BFloat16)
#undef __HGRD_ELEMENT
constexpr ScalarType kUInt8 = kByte, kInt8 = kChar, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong, kFloat16 = kHalf,
                     kFloat32 = kFloat, kFloat64 = kDouble;
template <ScalarType S> using __element_t = typename __element<S>::type;
namespace impl {
template <ScalarType S> using ScalarTypeToCPPTypeT = typename __element<S>::type;
template <ScalarType S> struct ScalarTypeToCPPType : __element<S> {};
}
size_t elementSize(ScalarType);
bool isFloatingType(ScalarType);
bool isIntegralType(ScalarType, bool);
const char* toString(ScalarType);
}
namespace at {
using namespace c10;
template <class T> struct OpMathType { using type = T; };
template <> struct OpMathType<Half> { using type = float; };
template <> struct OpMathType<BFloat16> { using type = float; };
template <class T> using opmath_type = typename OpMathType<T>::type;
template <class T, bool> struct AccumulateType { using type = typename OpMathType<T>::type; };
template <class T, bool cuda> using acc_type = typename AccumulateType<T, cuda>::type;
}
namespace std {
template <class T> __HGRD_BOTH constexpr T real(const c10::complex<T>& z) { return z.real(); }
template <class T> __HGRD_BOTH constexpr T imag(const c10::complex<T>& z) { return z.imag(); }
template <class T> __HGRD_BOTH constexpr T norm(const c10::complex<T>& z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class T> __HGRD_BOTH T abs(const c10::complex<T>& z) { return T(::sqrt(norm(z))); }
template <class T> __HGRD_BOTH constexpr c10::complex<T> conj(const c10::complex<T>& z) {
    return c10::complex<T>(z.real(), -z.imag());
}
}
template <class T> struct __small_number { using type = T; };
template <> struct __small_number<c10::Half> { using type = __half; };
template <> struct __small_number<c10::BFloat16> { using type = __nv_bfloat16; };
#ifdef __CUDACC__
template <class T> __HGRD_DEVICE T gpuAtomicAdd(T* to, T value) {
    using type = typename __small_number<T>::type;
    return T(atomicAdd(reinterpret_cast<type*>(to), type(value)));
}
template <class T> __HGRD_DEVICE c10::complex<T> gpuAtomicAdd(c10::complex<T>* to, c10::complex<T> value) {
    T real = atomicAdd(&to->real_, value.real_);
    return c10::complex<T>(real, atomicAdd(&to->imag_, value.imag_));
}
template <class T> __HGRD_DEVICE void gpuAtomicAddNoReturn(T* to, T value) { gpuAtomicAdd(to, value); }
__HGRD_DEVICE inline c10::Half atomicAdd(c10::Half* to, c10::Half value) { return gpuAtomicAdd(to, value); }
__HGRD_DEVICE inline c10::BFloat16 atomicAdd(c10::BFloat16* to, c10::BFloat16 value) { return gpuAtomicAdd(to, value); }
template <class T> __HGRD_DEVICE c10::complex<T> atomicAdd(c10::complex<T>* to, c10::complex<T> value) {
    return gpuAtomicAdd(to, value);
}
__HGRD_DEVICE inline c10::Half __ldg(const c10::Half* from) { return *from; }
__HGRD_DEVICE inline c10::BFloat16 __ldg(const c10::BFloat16* from) { return *from; }
#endif
#endif
