// Mathematics beyond <math.h>, whose functions clang lets device code call as they are.
#pragma once
#define __HGRD_F1(NAME) extern __HGRD_MATH float NAME(float);
#define __HGRD_F2(NAME) extern __HGRD_MATH float NAME(float, float);
#define __HGRD_F3(NAME) extern __HGRD_MATH float NAME(float, float, float);
#define __HGRD_D1(NAME) extern __HGRD_MATH double NAME(double);
#define __HGRD_D2(NAME) extern __HGRD_MATH double NAME(double, double);
#define __HGRD_D3(NAME) extern __HGRD_MATH double NAME(double, double, double);
#define __HGRD_ROUNDED(MACRO, NAME) MACRO(NAME##_rn) MACRO(NAME##_rz) MACRO(NAME##_rd) MACRO(NAME##_ru)

#define __HGRD_MATH __HGRD_DEVICE  // names that the C library has, too, or a program may have for the host
__HGRD_F1(__sinf) __HGRD_F1(__cosf) __HGRD_F1(__tanf) __HGRD_F1(__expf) __HGRD_F1(__exp10f) __HGRD_F1(__logf)
__HGRD_F1(__log2f) __HGRD_F1(__log10f) __HGRD_F1(__tanhf) __HGRD_F2(__powf) __HGRD_F2(fdividef) __HGRD_D2(fdivide)
#undef __HGRD_MATH
#define __HGRD_MATH __HGRD_INTRINSIC
__HGRD_F1(__saturatef) __HGRD_F1(__frsqrt_rn) __HGRD_F2(__fdividef)
__HGRD_ROUNDED(__HGRD_F1, __frcp) __HGRD_ROUNDED(__HGRD_F1, __fsqrt)
__HGRD_ROUNDED(__HGRD_F2, __fadd) __HGRD_ROUNDED(__HGRD_F2, __fsub) __HGRD_ROUNDED(__HGRD_F2, __fmul)
__HGRD_ROUNDED(__HGRD_F2, __fdiv) __HGRD_ROUNDED(__HGRD_F3, __fmaf) __HGRD_ROUNDED(__HGRD_F3, __fmaf_ieee)
__HGRD_ROUNDED(__HGRD_D1, __drcp) __HGRD_ROUNDED(__HGRD_D1, __dsqrt)
__HGRD_ROUNDED(__HGRD_D2, __dadd) __HGRD_ROUNDED(__HGRD_D2, __dsub) __HGRD_ROUNDED(__HGRD_D2, __dmul)
__HGRD_ROUNDED(__HGRD_D2, __ddiv) __HGRD_ROUNDED(__HGRD_D3, __fma)
#undef __HGRD_MATH
#define __HGRD_MATH __HGRD_DEVICE
extern __HGRD_DEVICE void __sincosf(float, float*, float*);

#define __HGRD_FD1(NAME) __HGRD_F1(NAME##f) __HGRD_D1(NAME) __HGRD_F1(NAME)
__HGRD_FD1(rsqrt) __HGRD_FD1(rcbrt) __HGRD_FD1(sinpi) __HGRD_FD1(cospi) __HGRD_FD1(normcdf) __HGRD_FD1(normcdfinv)
__HGRD_FD1(erfinv) __HGRD_FD1(erfcinv) __HGRD_FD1(erfcx) __HGRD_FD1(cyl_bessel_i0) __HGRD_FD1(cyl_bessel_i1)
#undef __HGRD_FD1
__HGRD_F2(rhypotf) __HGRD_D2(rhypot) __HGRD_F3(norm3df) __HGRD_D3(norm3d) __HGRD_F3(rnorm3df) __HGRD_D3(rnorm3d)
extern __HGRD_DEVICE float norm4df(float, float, float, float), rnorm4df(float, float, float, float);
extern __HGRD_DEVICE double norm4d(double, double, double, double), rnorm4d(double, double, double, double);
extern __HGRD_DEVICE float normf(int, const float*), rnormf(int, const float*);
extern __HGRD_DEVICE double norm(int, const double*), rnorm(int, const double*);
extern __HGRD_DEVICE void sincospif(float, float*, float*);
extern __HGRD_DEVICE void sincospi(double, double*, double*);
extern __HGRD_BOTH void sincos(float, float*, float*);
extern __HGRD_DEVICE float exp10(float);
#undef __HGRD_MATH
#undef __HGRD_F1
#undef __HGRD_F2
#undef __HGRD_F3
#undef __HGRD_D1
#undef __HGRD_D2
#undef __HGRD_D3
#undef __HGRD_ROUNDED

#define __HGRD_MINMAX(R, A, B) extern __HGRD_BOTH R min(A, B), max(A, B);
#define __HGRD_MINMAX_MIXED(R, A, B) __HGRD_MINMAX(R, A, B) __HGRD_MINMAX(R, B, A)
__HGRD_MINMAX(int, int, int)
__HGRD_MINMAX(unsigned, unsigned, unsigned)
__HGRD_MINMAX_MIXED(unsigned, int, unsigned)
__HGRD_MINMAX(long, long, long)
__HGRD_MINMAX(unsigned long, unsigned long, unsigned long)
__HGRD_MINMAX_MIXED(unsigned long, long, unsigned long)
__HGRD_MINMAX(long long, long long, long long)
__HGRD_MINMAX(unsigned long long, unsigned long long, unsigned long long)
__HGRD_MINMAX_MIXED(unsigned long long, long long, unsigned long long)
__HGRD_MINMAX(float, float, float)
__HGRD_MINMAX(double, double, double)
__HGRD_MINMAX_MIXED(double, float, double)
#undef __HGRD_MINMAX
#undef __HGRD_MINMAX_MIXED
extern __HGRD_BOTH unsigned umin(unsigned, unsigned), umax(unsigned, unsigned);
extern __HGRD_BOTH long long llmin(long long, long long), llmax(long long, long long);
extern __HGRD_BOTH unsigned long long ullmin(unsigned long long, unsigned long long);
extern __HGRD_BOTH unsigned long long ullmax(unsigned long long, unsigned long long);
