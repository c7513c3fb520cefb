// What half and bfloat16 have in common.  T is the number, P the pair of them, S and I parts of the names.
#pragma once
#define __HGRD_SMALL_FLOAT(T, P, S, I) \
    struct __attribute__((aligned(2))) T { \
        unsigned short __x; \
        T() = default; \
        __HGRD_BOTH T(float); __HGRD_BOTH T(double); __HGRD_BOTH T(int); __HGRD_BOTH T(unsigned); \
        __HGRD_BOTH T(short); __HGRD_BOTH T(unsigned short); __HGRD_BOTH T(long); __HGRD_BOTH T(unsigned long); \
        __HGRD_BOTH T(long long); __HGRD_BOTH T(unsigned long long); __HGRD_BOTH T(bool); \
        __HGRD_BOTH T(const T##_raw&); \
        __HGRD_BOTH operator float() const; \
        __HGRD_BOTH operator T##_raw() const; \
        __HGRD_BOTH explicit operator bool() const; __HGRD_BOTH explicit operator int() const; \
        __HGRD_BOTH explicit operator unsigned() const; __HGRD_BOTH explicit operator short() const; \
        __HGRD_BOTH explicit operator unsigned short() const; __HGRD_BOTH explicit operator char() const; \
        __HGRD_BOTH explicit operator signed char() const; __HGRD_BOTH explicit operator unsigned char() const; \
        __HGRD_BOTH explicit operator long long() const; __HGRD_BOTH explicit operator unsigned long long() const; \
        __HGRD_BOTH explicit operator long() const; __HGRD_BOTH explicit operator unsigned long() const; \
        __HGRD_BOTH explicit operator double() const; \
        __HGRD_BOTH T& operator+=(T); __HGRD_BOTH T& operator-=(T); __HGRD_BOTH T& operator*=(T); \
        __HGRD_BOTH T& operator/=(T); __HGRD_BOTH T& operator++(); __HGRD_BOTH T& operator--(); \
        __HGRD_BOTH T operator++(int); __HGRD_BOTH T operator--(int); \
    }; \
    struct __attribute__((aligned(4))) P { \
        T x, y; \
        P() = default; \
        __HGRD_BOTH P(T x, T y); \
        __HGRD_BOTH P(const P##_raw&); \
        __HGRD_BOTH operator P##_raw() const; \
        __HGRD_BOTH P& operator+=(P); __HGRD_BOTH P& operator-=(P); __HGRD_BOTH P& operator*=(P); \
        __HGRD_BOTH P& operator/=(P); \
    }; \
    __HGRD_SMALL_OPERATOR(T, P, +) __HGRD_SMALL_OPERATOR(T, P, -) __HGRD_SMALL_OPERATOR(T, P, *) \
    __HGRD_SMALL_OPERATOR(T, P, /) \
    __HGRD_BOTH T operator+(T); __HGRD_BOTH T operator-(T); \
    __HGRD_BOTH P operator+(P); __HGRD_BOTH P operator-(P); \
    __HGRD_SMALL_COMPARISON(T, P, ==) __HGRD_SMALL_COMPARISON(T, P, !=) __HGRD_SMALL_COMPARISON(T, P, <) \
    __HGRD_SMALL_COMPARISON(T, P, <=) __HGRD_SMALL_COMPARISON(T, P, >) __HGRD_SMALL_COMPARISON(T, P, >=) \
    __HGRD_SMALL_2(T, P, add) __HGRD_SMALL_2(T, P, sub) __HGRD_SMALL_2(T, P, mul) __HGRD_SMALL_2(T, P, add_sat) \
    __HGRD_SMALL_2(T, P, sub_sat) __HGRD_SMALL_2(T, P, mul_sat) __HGRD_SMALL_2(T, P, add_rn) \
    __HGRD_SMALL_2(T, P, sub_rn) __HGRD_SMALL_2(T, P, mul_rn) __HGRD_SMALL_2(T, P, max) __HGRD_SMALL_2(T, P, min) \
    __HGRD_SMALL_2(T, P, max_nan) __HGRD_SMALL_2(T, P, min_nan) \
    __HGRD_BOTH T __hdiv(T, T); __HGRD_BOTH P __h2div(P, P); \
    __HGRD_BOTH T __hneg(T); __HGRD_BOTH P __hneg2(P); __HGRD_BOTH T __habs(T); __HGRD_BOTH P __habs2(P); \
    __HGRD_BOTH T __hfma(T, T, T); __HGRD_BOTH P __hfma2(P, P, P); __HGRD_BOTH T __hfma_sat(T, T, T); \
    __HGRD_BOTH P __hfma2_sat(P, P, P); __HGRD_BOTH T __hfma_relu(T, T, T); __HGRD_BOTH P __hfma2_relu(P, P, P); \
    __HGRD_BOTH P __hcmadd(P, P, P); \
    __HGRD_SMALL_TEST(T, P, eq) __HGRD_SMALL_TEST(T, P, ne) __HGRD_SMALL_TEST(T, P, le) __HGRD_SMALL_TEST(T, P, ge) \
    __HGRD_SMALL_TEST(T, P, lt) __HGRD_SMALL_TEST(T, P, gt) __HGRD_SMALL_TEST(T, P, equ) \
    __HGRD_SMALL_TEST(T, P, neu) __HGRD_SMALL_TEST(T, P, leu) __HGRD_SMALL_TEST(T, P, geu) \
    __HGRD_SMALL_TEST(T, P, ltu) __HGRD_SMALL_TEST(T, P, gtu) \
    __HGRD_BOTH bool __hisnan(T); __HGRD_BOTH P __hisnan2(P); __HGRD_BOTH int __hisinf(T); \
    __HGRD_SMALL_1(T, P, sqrt) __HGRD_SMALL_1(T, P, rsqrt) __HGRD_SMALL_1(T, P, rcp) __HGRD_SMALL_1(T, P, exp) \
    __HGRD_SMALL_1(T, P, exp2) __HGRD_SMALL_1(T, P, exp10) __HGRD_SMALL_1(T, P, log) __HGRD_SMALL_1(T, P, log2) \
    __HGRD_SMALL_1(T, P, log10) __HGRD_SMALL_1(T, P, sin) __HGRD_SMALL_1(T, P, cos) __HGRD_SMALL_1(T, P, tanh) __HGRD_SMALL_1(T, P, tanh_approx) \
    __HGRD_SMALL_1(T, P, floor) __HGRD_SMALL_1(T, P, ceil) __HGRD_SMALL_1(T, P, rint) __HGRD_SMALL_1(T, P, trunc) \
    __HGRD_BOTH T __float2##S(float); __HGRD_BOTH T __float2##S##_rn(float); __HGRD_BOTH T __float2##S##_rz(float); \
    __HGRD_BOTH T __float2##S##_rd(float); __HGRD_BOTH T __float2##S##_ru(float); \
    __HGRD_BOTH T __double2##S(double); __HGRD_BOTH float __##S##2float(T); \
    __HGRD_BOTH P __float2##S##2_rn(float); __HGRD_BOTH P __floats2##S##2_rn(float, float); \
    __HGRD_BOTH P __float22##S##2_rn(float2); __HGRD_BOTH float2 __##S##22float2(P); \
    __HGRD_BOTH P __##S##2##S##2(T); __HGRD_BOTH P __halves2##I##2(T, T); \
    __HGRD_BOTH float __low2float(P); __HGRD_BOTH float __high2float(P); \
    __HGRD_BOTH T __low2##I(P); __HGRD_BOTH T __high2##I(P); __HGRD_BOTH P __low2##I##2(P); \
    __HGRD_BOTH P __high2##I##2(P); __HGRD_BOTH P __lows2##I##2(P, P); __HGRD_BOTH P __highs2##I##2(P, P); \
    __HGRD_BOTH P __lowhigh2highlow(P); \
    __HGRD_BOTH unsigned short __##I##_as_ushort(T); __HGRD_BOTH short __##I##_as_short(T); \
    __HGRD_BOTH T __ushort_as_##I(unsigned short); __HGRD_BOTH T __short_as_##I(short); \
    __HGRD_SMALL_INT(T, S, int, int) __HGRD_SMALL_INT(T, S, unsigned, uint) __HGRD_SMALL_INT(T, S, short, short) \
    __HGRD_SMALL_INT(T, S, unsigned short, ushort) __HGRD_SMALL_INT(T, S, long long, ll) \
    __HGRD_SMALL_INT(T, S, unsigned long long, ull)

#define __HGRD_SMALL_OPERATOR(T, P, O) \
    __HGRD_BOTH T operator O(T, T); __HGRD_BOTH P operator O(P, P);
#define __HGRD_SMALL_COMPARISON(T, P, O) \
    __HGRD_BOTH bool operator O(T, T); __HGRD_BOTH bool operator O(P, P);
#define __HGRD_SMALL_2(T, P, N) __HGRD_SMALL_2_(T, P, __h##N, __HGRD_PAIR_##N)
#define __HGRD_SMALL_2_(T, P, ONE, TWO) __HGRD_BOTH T ONE(T, T); __HGRD_BOTH P TWO(P, P);
#define __HGRD_PAIR_add __hadd2
#define __HGRD_PAIR_sub __hsub2
#define __HGRD_PAIR_mul __hmul2
#define __HGRD_PAIR_add_sat __hadd2_sat
#define __HGRD_PAIR_sub_sat __hsub2_sat
#define __HGRD_PAIR_mul_sat __hmul2_sat
#define __HGRD_PAIR_add_rn __hadd2_rn
#define __HGRD_PAIR_sub_rn __hsub2_rn
#define __HGRD_PAIR_mul_rn __hmul2_rn
#define __HGRD_PAIR_max __hmax2
#define __HGRD_PAIR_min __hmin2
#define __HGRD_PAIR_max_nan __hmax2_nan
#define __HGRD_PAIR_min_nan __hmin2_nan
#define __HGRD_SMALL_TEST(T, P, N) \
    __HGRD_BOTH bool __h##N(T, T); __HGRD_BOTH P __h##N##2(P, P); __HGRD_BOTH bool __hb##N##2(P, P); \
    __HGRD_BOTH unsigned __h##N##2_mask(P, P);
#define __HGRD_SMALL_1(T, P, N) __HGRD_BOTH T h##N(T); __HGRD_BOTH P h2##N(P);
#define __HGRD_SMALL_INT(T, S, N, W) \
    __HGRD_BOTH T __##W##2##S##_rn(N); __HGRD_BOTH T __##W##2##S##_rz(N); __HGRD_BOTH T __##W##2##S##_rd(N); \
    __HGRD_BOTH T __##W##2##S##_ru(N); __HGRD_BOTH N __##S##2##W##_rn(T); __HGRD_BOTH N __##S##2##W##_rz(T); \
    __HGRD_BOTH N __##S##2##W##_rd(T); __HGRD_BOTH N __##S##2##W##_ru(T);
