// OpenGL Mathematics: vectors and matrices of small size, with what is computed with them element by element.
#include "../hgrd/prelude.h"
#if !defined(__HGRD_PRECOMPILING) && !defined(__HGRD_GLM)
#define __HGRD_GLM 1
#define GLM_FORCE_CUDA 1
namespace glm {
typedef int length_t;
enum qualifier { packed_highp, defaultp = packed_highp };
template <int L, class T, qualifier Q = defaultp> struct vec;
#define __HGRD_F __HGRD_BOTH inline constexpr
template <class T, qualifier Q> struct vec<1, T, Q> {
    typedef T value_type;
    T x;
    __HGRD_F vec() : x(0) {}
    __HGRD_F explicit vec(T a) : x(a) {}
    __HGRD_F static int length() { return 1; }
    __HGRD_F T& operator[](int i) { return (&x)[i]; }
    __HGRD_F const T& operator[](int i) const { return (&x)[i]; }
};
template <class T, qualifier Q> struct vec<2, T, Q> {
    typedef T value_type;
    union { T x, r, s; };
    union { T y, g, t; };
    vec() = default;
    __HGRD_F explicit vec(T a) : x(a), y(a) {}
    template <class A, class B> __HGRD_F vec(A a, B b) : x(T(a)), y(T(b)) {}
    template <int M, class U, qualifier P> __HGRD_F explicit vec(const vec<M, U, P>& v) : x(T(v.x)), y(T(v.y)) {}
    __HGRD_F static int length() { return 2; }
    __HGRD_F T& operator[](int i) { return (&x)[i]; }
    __HGRD_F const T& operator[](int i) const { return (&x)[i]; }
};
template <class T, qualifier Q> struct vec<3, T, Q> {
    typedef T value_type;
    union { T x, r, s; };
    union { T y, g, t; };
    union { T z, b, p; };
    vec() = default;
    __HGRD_F explicit vec(T a) : x(a), y(a), z(a) {}
    template <class A, class B, class C> __HGRD_F vec(A a, B b, C c) : x(T(a)), y(T(b)), z(T(c)) {}
    template <class U, qualifier P, class C> __HGRD_F vec(const vec<2, U, P>& v, C c) : x(T(v.x)), y(T(v.y)), z(T(c)) {}
    template <int M, class U, qualifier P> __HGRD_F explicit vec(const vec<M, U, P>& v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
    __HGRD_F static int length() { return 3; }
    __HGRD_F T& operator[](int i) { return (&x)[i]; }
    __HGRD_F const T& operator[](int i) const { return (&x)[i]; }
};
template <class T, qualifier Q> struct vec<4, T, Q> {
    typedef T value_type;
    union { T x, r, s; };
    union { T y, g, t; };
    union { T z, b, p; };
    union { T w, a, q; };
    vec() = default;
    __HGRD_F explicit vec(T v) : x(v), y(v), z(v), w(v) {}
    template <class A, class B, class C, class D>
    __HGRD_F vec(A i, B j, C k, D l) : x(T(i)), y(T(j)), z(T(k)), w(T(l)) {}
    template <class U, qualifier P, class D>
    __HGRD_F vec(const vec<3, U, P>& v, D l) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(l)) {}
    template <class U, qualifier P> __HGRD_F explicit vec(const vec<4, U, P>& v) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(v.w)) {}
    __HGRD_F static int length() { return 4; }
    __HGRD_F T& operator[](int i) { return (&x)[i]; }
    __HGRD_F const T& operator[](int i) const { return (&x)[i]; }
};
template <class T> struct __same { typedef T type; };
#define __HGRD_V template <int L, class T, qualifier Q> __HGRD_BOTH inline
#define __HGRD_EACH(VALUE) vec<L, T, Q> made; for (int i = 0; i < L; ++i) made[i] = VALUE; return made;
#define __HGRD_OPERATOR(O) \
    __HGRD_V vec<L, T, Q> operator O(const vec<L, T, Q>& a, const vec<L, T, Q>& b) { __HGRD_EACH(a[i] O b[i]) } \
    __HGRD_V vec<L, T, Q> operator O(const vec<L, T, Q>& a, typename __same<T>::type b) { __HGRD_EACH(a[i] O b) } \
    __HGRD_V vec<L, T, Q> operator O(typename __same<T>::type a, const vec<L, T, Q>& b) { __HGRD_EACH(a O b[i]) } \
    __HGRD_V vec<L, T, Q>& operator O##=(vec<L, T, Q>& a, const vec<L, T, Q>& b) { return a = a O b; } \
    __HGRD_V vec<L, T, Q>& operator O##=(vec<L, T, Q>& a, typename __same<T>::type b) { return a = a O b; }
__HGRD_OPERATOR(+) __HGRD_OPERATOR(-) __HGRD_OPERATOR(*) __HGRD_OPERATOR(/)
__HGRD_OPERATOR(%) __HGRD_OPERATOR(&) __HGRD_OPERATOR(|) __HGRD_OPERATOR(^) __HGRD_OPERATOR(<<) __HGRD_OPERATOR(>>)
#undef __HGRD_OPERATOR
__HGRD_V vec<L, T, Q> operator-(const vec<L, T, Q>& a) { __HGRD_EACH(-a[i]) }
__HGRD_V vec<L, T, Q> operator+(const vec<L, T, Q>& a) { return a; }
__HGRD_V bool operator==(const vec<L, T, Q>& a, const vec<L, T, Q>& b) {
    for (int i = 0; i < L; ++i) if (!(a[i] == b[i])) return false;
    return true;
}
__HGRD_V bool operator!=(const vec<L, T, Q>& a, const vec<L, T, Q>& b) { return !(a == b); }
__HGRD_V T dot(const vec<L, T, Q>& a, const vec<L, T, Q>& b) {
    T sum = a[0] * b[0];
    for (int i = 1; i < L; ++i) sum += a[i] * b[i];
    return sum;
}
__HGRD_V T length(const vec<L, T, Q>& a) { return T(sqrt(dot(a, a))); }
__HGRD_V T distance(const vec<L, T, Q>& a, const vec<L, T, Q>& b) { return length(a - b); }
__HGRD_V vec<L, T, Q> normalize(const vec<L, T, Q>& a) { return a / length(a); }
template <class T, qualifier Q> __HGRD_BOTH inline vec<3, T, Q> cross(const vec<3, T, Q>& a, const vec<3, T, Q>& b) {
    return vec<3, T, Q>(a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y);
}
template <class T, class = decltype(T() < T())> __HGRD_BOTH inline T min(T a, T b) { return b < a ? b : a; }
template <class T, class = decltype(T() < T())> __HGRD_BOTH inline T max(T a, T b) { return a < b ? b : a; }
__HGRD_V vec<L, T, Q> min(const vec<L, T, Q>& a, const vec<L, T, Q>& b) { __HGRD_EACH(b[i] < a[i] ? b[i] : a[i]) }
__HGRD_V vec<L, T, Q> max(const vec<L, T, Q>& a, const vec<L, T, Q>& b) { __HGRD_EACH(a[i] < b[i] ? b[i] : a[i]) }
__HGRD_V vec<L, T, Q> min(const vec<L, T, Q>& a, typename __same<T>::type b) { __HGRD_EACH(b < a[i] ? b : a[i]) }
__HGRD_V vec<L, T, Q> max(const vec<L, T, Q>& a, typename __same<T>::type b) { __HGRD_EACH(a[i] < b ? b : a[i]) }
template <class T, class = decltype(T() < T())> __HGRD_BOTH inline T clamp(T a, T low, T high) {
    return a < low ? low : high < a ? high : a;
}
__HGRD_V vec<L, T, Q> clamp(const vec<L, T, Q>& a, typename __same<T>::type low, typename __same<T>::type high) {
    __HGRD_EACH(a[i] < low ? low : high < a[i] ? high : a[i])
}
__HGRD_V vec<L, T, Q> mix(const vec<L, T, Q>& a, const vec<L, T, Q>& b, typename __same<T>::type t) {
    return a * (T(1) - t) + b * t;
}
#define __HGRD_FUNCTION(NAME) __HGRD_V vec<L, T, Q> NAME(const vec<L, T, Q>& a) { __HGRD_EACH(T(::NAME(a[i]))) } using ::NAME;
__HGRD_FUNCTION(abs) __HGRD_FUNCTION(floor) __HGRD_FUNCTION(ceil) __HGRD_FUNCTION(sqrt) __HGRD_FUNCTION(exp)
__HGRD_FUNCTION(log) __HGRD_FUNCTION(sin) __HGRD_FUNCTION(cos) __HGRD_FUNCTION(round) __HGRD_FUNCTION(trunc)
#undef __HGRD_FUNCTION
__HGRD_V vec<L, T, Q> fract(const vec<L, T, Q>& a) { return a - floor(a); }
__HGRD_V vec<L, T, Q> pow(const vec<L, T, Q>& a, const vec<L, T, Q>& b) { __HGRD_EACH(T(::pow(a[i], b[i]))) }
#undef __HGRD_EACH

// `C` columns of `R` elements each.
template <int C, int R, class T, qualifier Q = defaultp> struct mat {
    typedef vec<R, T, Q> col_type;
    typedef T value_type;
    col_type value[C];
    mat() = default;
    __HGRD_BOTH inline explicit mat(T a) {
        for (int c = 0; c < C; ++c)
            for (int r = 0; r < R; ++r) value[c][r] = c == r ? a : T(0);
    }
    template <class... A, class = std::enable_if_t<sizeof...(A) + 2 == C * R>>
    __HGRD_BOTH inline mat(T a, T b, A... rest) {
        const T all[] = {a, b, T(rest)...};
        for (int c = 0; c < C; ++c)
            for (int r = 0; r < R; ++r) value[c][r] = all[c * R + r];
    }
    template <class... A, class = std::enable_if_t<sizeof...(A) + 1 == C>>
    __HGRD_BOTH inline mat(const col_type& first, const A&... rest) : value{first, rest...} {}
    template <int D, int S, class U, qualifier P> __HGRD_BOTH inline explicit mat(const mat<D, S, U, P>& m) {
        for (int c = 0; c < C; ++c)
            for (int r = 0; r < R; ++r) value[c][r] = c < D && r < S ? T(m[c][r]) : T(c == r);
    }
    __HGRD_BOTH static constexpr int length() { return C; }
    __HGRD_BOTH inline col_type& operator[](int i) { return value[i]; }
    __HGRD_BOTH inline const col_type& operator[](int i) const { return value[i]; }
};
#define __HGRD_M template <int C, int R, class T, qualifier Q> __HGRD_BOTH inline
#define __HGRD_EACH(VALUE) mat<C, R, T, Q> made; for (int c = 0; c < C; ++c) made[c] = VALUE; return made;
__HGRD_M mat<C, R, T, Q> operator+(const mat<C, R, T, Q>& a, const mat<C, R, T, Q>& b) { __HGRD_EACH(a[c] + b[c]) }
__HGRD_M mat<C, R, T, Q> operator-(const mat<C, R, T, Q>& a, const mat<C, R, T, Q>& b) { __HGRD_EACH(a[c] - b[c]) }
__HGRD_M mat<C, R, T, Q> operator*(const mat<C, R, T, Q>& a, typename __same<T>::type b) { __HGRD_EACH(a[c] * b) }
__HGRD_M mat<C, R, T, Q> operator*(typename __same<T>::type a, const mat<C, R, T, Q>& b) { __HGRD_EACH(b[c] * a) }
__HGRD_M mat<C, R, T, Q> operator/(const mat<C, R, T, Q>& a, typename __same<T>::type b) { __HGRD_EACH(a[c] / b) }
__HGRD_M mat<C, R, T, Q>& operator+=(mat<C, R, T, Q>& a, const mat<C, R, T, Q>& b) { return a = a + b; }
__HGRD_M mat<C, R, T, Q>& operator*=(mat<C, R, T, Q>& a, typename __same<T>::type b) { return a = a * b; }
__HGRD_M vec<R, T, Q> operator*(const mat<C, R, T, Q>& a, const vec<C, T, Q>& b) {
    vec<R, T, Q> made = a[0] * b[0];
    for (int c = 1; c < C; ++c) made += a[c] * b[c];
    return made;
}
__HGRD_M vec<C, T, Q> operator*(const vec<R, T, Q>& a, const mat<C, R, T, Q>& b) {
    vec<C, T, Q> made;
    for (int c = 0; c < C; ++c) made[c] = dot(a, b[c]);
    return made;
}
template <int K, int C, int R, class T, qualifier Q>
__HGRD_BOTH inline mat<C, R, T, Q> operator*(const mat<K, R, T, Q>& a, const mat<C, K, T, Q>& b) { __HGRD_EACH(a * b[c]) }
__HGRD_M mat<R, C, T, Q> transpose(const mat<C, R, T, Q>& a) {
    mat<R, C, T, Q> made;
    for (int c = 0; c < C; ++c)
        for (int r = 0; r < R; ++r) made[r][c] = a[c][r];
    return made;
}
template <class T, qualifier Q> __HGRD_BOTH inline T determinant(const mat<2, 2, T, Q>& a) {
    return a[0][0] * a[1][1] - a[1][0] * a[0][1];
}
template <class T, qualifier Q> __HGRD_BOTH inline T determinant(const mat<3, 3, T, Q>& a) { return dot(a[0], cross(a[1], a[2])); }
template <int N, class T, qualifier Q> __HGRD_BOTH mat<N, N, T, Q> inverse(const mat<N, N, T, Q>& a);
#undef __HGRD_EACH
#undef __HGRD_M
#undef __HGRD_V
#undef __HGRD_F
#define __HGRD_VECTORS(PREFIX, T) \
    typedef vec<1, T> PREFIX##vec1; \
    typedef vec<2, T> PREFIX##vec2; \
    typedef vec<3, T> PREFIX##vec3; \
    typedef vec<4, T> PREFIX##vec4;
__HGRD_VECTORS(, float) __HGRD_VECTORS(d, double) __HGRD_VECTORS(i, int) __HGRD_VECTORS(u, unsigned) __HGRD_VECTORS(b, bool)
#undef __HGRD_VECTORS
#define __HGRD_MATRICES(PREFIX, T) \
    typedef mat<2, 2, T> PREFIX##mat2; \
    typedef mat<3, 3, T> PREFIX##mat3; \
    typedef mat<4, 4, T> PREFIX##mat4; \
    typedef mat<2, 2, T> PREFIX##mat2x2; \
    typedef mat<2, 3, T> PREFIX##mat2x3; \
    typedef mat<3, 2, T> PREFIX##mat3x2; \
    typedef mat<3, 3, T> PREFIX##mat3x3; \
    typedef mat<3, 4, T> PREFIX##mat3x4; \
    typedef mat<4, 3, T> PREFIX##mat4x3; \
    typedef mat<4, 4, T> PREFIX##mat4x4;
__HGRD_MATRICES(, float) __HGRD_MATRICES(d, double)
#undef __HGRD_MATRICES
template <int L, class T, qualifier Q> __HGRD_BOTH inline T* value_ptr(vec<L, T, Q>& v) { return &v[0]; }
template <int C, int R, class T, qualifier Q> __HGRD_BOTH inline T* value_ptr(mat<C, R, T, Q>& m) { return &m[0][0]; }
}
#endif
