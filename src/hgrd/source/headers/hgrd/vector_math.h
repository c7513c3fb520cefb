// Arithmetic on built-in vectors, for programs that expect it from somewhere.  All are templates, so that
// whatever the program defines itself goes first.
#pragma once
#include "prelude.h"
#include <type_traits>
template <class V> struct __hgrd_lanes { enum { count = 0 }; };
#define __HGRD_LANES(V, T, N) \
    template <> struct __hgrd_lanes<V> { enum { count = N }; typedef T scalar; };
#define __HGRD_ALL_LANES(V, T) __HGRD_LANES(V##2, T, 2) __HGRD_LANES(V##3, T, 3) __HGRD_LANES(V##4, T, 4)
__HGRD_ALL_LANES(char, signed char) __HGRD_ALL_LANES(uchar, unsigned char) __HGRD_ALL_LANES(short, short)
__HGRD_ALL_LANES(ushort, unsigned short) __HGRD_ALL_LANES(int, int) __HGRD_ALL_LANES(uint, unsigned)
__HGRD_ALL_LANES(float, float) __HGRD_ALL_LANES(double, double)
#undef __HGRD_ALL_LANES
#undef __HGRD_LANES
#define __HGRD_V template <class V, class T = typename __hgrd_lanes<V>::scalar>
#define __HGRD_VS \
    template <class V, class S, class T = typename __hgrd_lanes<V>::scalar, \
              class = typename std::enable_if<std::is_arithmetic<S>::value>::type>
#define __HGRD_OPERATOR(O) \
    __HGRD_V __HGRD_BOTH V operator O(V, V); \
    __HGRD_VS __HGRD_BOTH V operator O(V, S); \
    __HGRD_VS __HGRD_BOTH V operator O(S, V); \
    __HGRD_V __HGRD_BOTH V& operator O##=(V&, V); \
    __HGRD_VS __HGRD_BOTH V& operator O##=(V&, S);
__HGRD_OPERATOR(+) __HGRD_OPERATOR(-) __HGRD_OPERATOR(*) __HGRD_OPERATOR(/)
#undef __HGRD_OPERATOR
__HGRD_V __HGRD_BOTH V operator-(V);
__HGRD_V __HGRD_BOTH T dot(V, V);
__HGRD_V __HGRD_BOTH T length(V);
__HGRD_V __HGRD_BOTH T distance(V, V);
__HGRD_V __HGRD_BOTH V cross(V, V);
__HGRD_V __HGRD_BOTH V normalize(V);
__HGRD_V __HGRD_BOTH V floor(V);
__HGRD_V __HGRD_BOTH V fabs(V);
__HGRD_V __HGRD_BOTH V reflect(V, V);
__HGRD_V __HGRD_BOTH V fminf(V, V);
__HGRD_V __HGRD_BOTH V fmaxf(V, V);
__HGRD_V __HGRD_BOTH V lerp(V, V, float);
__HGRD_V __HGRD_BOTH V clamp(V, T, T);
__HGRD_V __HGRD_BOTH V clamp(V, V, V);
#define __HGRD_S template <class = void> __HGRD_BOTH
__HGRD_S float lerp(float, float, float);
__HGRD_S float saturate(float);
__HGRD_S float smoothstep(float, float, float);
__HGRD_S float frac(float);
__HGRD_S float clamp(float, float, float);
__HGRD_S int clamp(int, int, int);
__HGRD_S unsigned clamp(unsigned, unsigned, unsigned);
#undef __HGRD_S
#define __HGRD_MAKE(V) \
    template <class A> __HGRD_BOTH V##2 make_##V##2(A); \
    template <class A> __HGRD_BOTH V##3 make_##V##3(A); \
    template <class A, class B> __HGRD_BOTH V##3 make_##V##3(A, B); \
    template <class A> __HGRD_BOTH V##4 make_##V##4(A); \
    template <class A, class B> __HGRD_BOTH V##4 make_##V##4(A, B); \
    template <class A, class B, class C> __HGRD_BOTH V##4 make_##V##4(A, B, C);
__HGRD_MAKE(float) __HGRD_MAKE(int) __HGRD_MAKE(uint) __HGRD_MAKE(double) __HGRD_MAKE(uchar)
#undef __HGRD_MAKE
#undef __HGRD_V
#undef __HGRD_VS
