// Thrust: function objects, execution policies, complex and random numbers.
#pragma once
#include "thrust_iterators.h"
#include <ostream>
namespace thrust {
template <class Self> struct execution_policy {};
template <class Self> struct host_execution_policy : execution_policy<Self> {};
template <class Self> struct device_execution_policy : execution_policy<Self> {};
struct __policy : execution_policy<__policy> {
    __policy on(cudaStream_t stream) const;
    template <class Allocator> __policy operator()(Allocator&& allocator) const;
    template <class... T> __policy after(T&&... dependencies) const;
};
inline const __policy host, device, seq;
namespace cuda {
inline const __policy par, par_nosync;
using thrust::execution_policy;
}
namespace cuda_cub { using cuda::par; }
namespace system { namespace cuda { inline const __policy par, par_nosync; namespace detail {} } }
namespace omp { inline const __policy par; }
namespace cpp { inline const __policy par; }

template <class A, class R> struct unary_function { typedef A argument_type; typedef R result_type; };
template <class A, class B, class R> struct binary_function {
    typedef A first_argument_type;
    typedef B second_argument_type;
    typedef R result_type;
};
#define __HGRD_BINARY(NAME, R) \
    template <class T = void> struct NAME { \
        typedef T first_argument_type; typedef T second_argument_type; typedef R result_type; \
        __HGRD_BOTH R operator()(const T& left, const T& right) const; \
    }; \
    template <> struct NAME<void> { \
        template <class A, class B> __HGRD_BOTH auto operator()(const A& left, const B& right) const -> A; \
    };
__HGRD_BINARY(plus, T) __HGRD_BINARY(minus, T) __HGRD_BINARY(multiplies, T) __HGRD_BINARY(divides, T)
__HGRD_BINARY(modulus, T) __HGRD_BINARY(maximum, T) __HGRD_BINARY(minimum, T) __HGRD_BINARY(bit_and, T)
__HGRD_BINARY(bit_or, T) __HGRD_BINARY(bit_xor, T) __HGRD_BINARY(equal_to, bool) __HGRD_BINARY(not_equal_to, bool)
__HGRD_BINARY(greater, bool) __HGRD_BINARY(less, bool) __HGRD_BINARY(greater_equal, bool)
__HGRD_BINARY(less_equal, bool) __HGRD_BINARY(logical_and, bool) __HGRD_BINARY(logical_or, bool)
#undef __HGRD_BINARY
#define __HGRD_UNARY(NAME, R) \
    template <class T = void> struct NAME { \
        typedef T argument_type; typedef R result_type; \
        __HGRD_BOTH R operator()(const T& value) const; \
    };
__HGRD_UNARY(negate, T) __HGRD_UNARY(square, T) __HGRD_UNARY(logical_not, bool)
#undef __HGRD_UNARY
template <class T = void> struct identity { typedef T argument_type; __HGRD_BOTH const T& operator()(const T& value) const; };
template <class A = void, class B = void> struct project1st { __HGRD_BOTH A operator()(const A& a, const B& b) const; };
template <class A = void, class B = void> struct project2nd { __HGRD_BOTH B operator()(const A& a, const B& b) const; };
template <class F> struct __negated { template <class... T> __HGRD_BOTH bool operator()(T... arguments) const; };
template <class F> __HGRD_BOTH __negated<F> not1(F predicate);
template <class F> __HGRD_BOTH __negated<F> not2(F predicate);
template <class F> __HGRD_BOTH __negated<F> not_fn(F predicate);
struct __expression { template <class... T> __HGRD_BOTH __anything operator()(T... arguments) const; };
#define __HGRD_LAZY(O) \
    template <class T> __HGRD_BOTH __expression operator O(__expression, T); \
    template <class T, class = typename std::enable_if<std::is_arithmetic<T>::value>::type> \
    __HGRD_BOTH __expression operator O(T, __expression);
__HGRD_LAZY(+) __HGRD_LAZY(-) __HGRD_LAZY(*) __HGRD_LAZY(/) __HGRD_LAZY(%) __HGRD_LAZY(<) __HGRD_LAZY(>)
__HGRD_LAZY(<=) __HGRD_LAZY(>=) __HGRD_LAZY(==) __HGRD_LAZY(!=)
#undef __HGRD_LAZY
namespace placeholders { inline const __expression _1, _2, _3, _4; }

template <class T> struct complex {
    T x, y;
    typedef T value_type;
    complex() = default;
    __HGRD_BOTH complex(const T& real, const T& imaginary = T()) : x(real), y(imaginary) {}
    template <class V> __HGRD_BOTH complex(const complex<V>& other);
    template <class V> __HGRD_BOTH complex(const std::complex<V>& other);
    __HGRD_BOTH T real() const;
    __HGRD_BOTH T imag() const;
    __HGRD_BOTH void real(T value);
    __HGRD_BOTH void imag(T value);
    template <class V> __HGRD_BOTH complex& operator=(const V& other);
    template <class V> __HGRD_BOTH complex& operator+=(const V& other);
    template <class V> __HGRD_BOTH complex& operator-=(const V& other);
    template <class V> __HGRD_BOTH complex& operator*=(const V& other);
    template <class V> __HGRD_BOTH complex& operator/=(const V& other);
    __HGRD_BOTH operator std::complex<T>() const;
};
#define __HGRD_COMPLEX(O, R) \
    template <class T> __HGRD_BOTH R operator O(const complex<T>&, const complex<T>&); \
    template <class T> __HGRD_BOTH R operator O(const complex<T>&, const typename __hgrd_identity<T>::type&); \
    template <class T> __HGRD_BOTH R operator O(const typename __hgrd_identity<T>::type&, const complex<T>&);
__HGRD_COMPLEX(+, complex<T>) __HGRD_COMPLEX(-, complex<T>) __HGRD_COMPLEX(*, complex<T>) __HGRD_COMPLEX(/, complex<T>)
__HGRD_COMPLEX(==, bool) __HGRD_COMPLEX(!=, bool)
#undef __HGRD_COMPLEX
template <class T> __HGRD_BOTH complex<T> operator-(const complex<T>&);
template <class T> __HGRD_BOTH complex<T> operator+(const complex<T>&);
template <class T> std::ostream& operator<<(std::ostream& stream, const complex<T>& value);
#define __HGRD_REAL(NAME) template <class T> __HGRD_BOTH T NAME(const complex<T>& value);
__HGRD_REAL(abs) __HGRD_REAL(arg) __HGRD_REAL(norm)
#undef __HGRD_REAL
#define __HGRD_MAP(NAME) template <class T> __HGRD_BOTH complex<T> NAME(const complex<T>& value);
__HGRD_MAP(conj) __HGRD_MAP(proj) __HGRD_MAP(exp) __HGRD_MAP(log) __HGRD_MAP(log10) __HGRD_MAP(sqrt) __HGRD_MAP(sin)
__HGRD_MAP(cos) __HGRD_MAP(tan) __HGRD_MAP(sinh) __HGRD_MAP(cosh) __HGRD_MAP(tanh) __HGRD_MAP(asin) __HGRD_MAP(acos)
#undef __HGRD_MAP
template <class T> __HGRD_BOTH complex<T> polar(const T& length, const T& angle = T());
template <class T, class U> __HGRD_BOTH complex<T> pow(const complex<T>& base, const U& exponent);

namespace random {
struct __engine {
    typedef unsigned result_type;
    static constexpr unsigned min = 0, max = ~0u, default_seed = 1;
    __HGRD_BOTH explicit __engine(unsigned long long seed = 1);
    __HGRD_BOTH void seed(unsigned long long seed = 1);
    __HGRD_BOTH unsigned operator()();
    __HGRD_BOTH void discard(unsigned long long n);
};
typedef __engine default_random_engine;
typedef __engine minstd_rand;
typedef __engine minstd_rand0;
typedef __engine ranlux24;
typedef __engine ranlux48;
typedef __engine taus88;
template <class T> struct __distribution {
    typedef T result_type;
    __HGRD_BOTH explicit __distribution(T a = T(0), T b = T(1));
    template <class Engine> __HGRD_BOTH T operator()(Engine& engine);
};
template <class T = float> struct uniform_real_distribution : __distribution<T> { using __distribution<T>::__distribution; };
template <class T = int> struct uniform_int_distribution : __distribution<T> { using __distribution<T>::__distribution; };
template <class T = float> struct normal_distribution : __distribution<T> { using __distribution<T>::__distribution; };
}
using namespace random;
template <bool Condition, class T = void> struct enable_if : std::enable_if<Condition, T> {};
}
