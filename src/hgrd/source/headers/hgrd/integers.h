// Integer intrinsics.
#pragma once
extern __HGRD_INTRINSIC int __popc(unsigned);
extern __HGRD_INTRINSIC int __popcll(unsigned long long);
extern __HGRD_INTRINSIC int __clz(int);
extern __HGRD_INTRINSIC int __clzll(long long);
extern __HGRD_INTRINSIC int __ffs(int);
extern __HGRD_INTRINSIC int __ffsll(long long);
extern __HGRD_INTRINSIC unsigned __brev(unsigned);
extern __HGRD_INTRINSIC unsigned long long __brevll(unsigned long long);
extern __HGRD_INTRINSIC int __mul24(int, int);
extern __HGRD_INTRINSIC unsigned __umul24(unsigned, unsigned);
extern __HGRD_INTRINSIC int __mulhi(int, int);
extern __HGRD_INTRINSIC unsigned __umulhi(unsigned, unsigned);
extern __HGRD_INTRINSIC long long __mul64hi(long long, long long);
extern __HGRD_INTRINSIC unsigned long long __umul64hi(unsigned long long, unsigned long long);
extern __HGRD_DEVICE int mulhi(int, int);
extern __HGRD_DEVICE int mul24(int, int);
extern __HGRD_DEVICE unsigned umulhi(unsigned, unsigned);
extern __HGRD_DEVICE unsigned umul24(unsigned, unsigned);
extern __HGRD_INTRINSIC unsigned __sad(int, int, unsigned);
extern __HGRD_INTRINSIC unsigned __usad(unsigned, unsigned, unsigned);
extern __HGRD_INTRINSIC int __hadd(int, int);
extern __HGRD_INTRINSIC int __rhadd(int, int);
extern __HGRD_INTRINSIC unsigned __uhadd(unsigned, unsigned);
extern __HGRD_INTRINSIC unsigned __urhadd(unsigned, unsigned);
extern __HGRD_INTRINSIC unsigned __byte_perm(unsigned, unsigned, unsigned);
extern __HGRD_INTRINSIC unsigned __funnelshift_l(unsigned, unsigned, unsigned);
extern __HGRD_INTRINSIC unsigned __funnelshift_lc(unsigned, unsigned, unsigned);
extern __HGRD_INTRINSIC unsigned __funnelshift_r(unsigned, unsigned, unsigned);
extern __HGRD_INTRINSIC unsigned __funnelshift_rc(unsigned, unsigned, unsigned);
extern __HGRD_INTRINSIC int __dp4a(int, int, int);
extern __HGRD_INTRINSIC unsigned __dp4a(unsigned, unsigned, unsigned);
extern __HGRD_INTRINSIC int __dp4a(char4, char4, int);
extern __HGRD_INTRINSIC unsigned __dp4a(uchar4, uchar4, unsigned);
extern __HGRD_INTRINSIC int __dp2a_lo(int, int, int);
extern __HGRD_INTRINSIC int __dp2a_hi(int, int, int);
extern __HGRD_INTRINSIC unsigned __dp2a_lo(unsigned, unsigned, unsigned);
extern __HGRD_INTRINSIC unsigned __dp2a_hi(unsigned, unsigned, unsigned);
extern __HGRD_INTRINSIC unsigned __bitextract(unsigned, unsigned, unsigned);
extern __HGRD_INTRINSIC unsigned __bitinsert(unsigned, unsigned, unsigned, unsigned);

#define __HGRD_SIMD1(NAME) extern __HGRD_INTRINSIC unsigned __v##NAME##2(unsigned), __v##NAME##4(unsigned);
#define __HGRD_SIMD2(NAME) \
    extern __HGRD_INTRINSIC unsigned __v##NAME##2(unsigned, unsigned), __v##NAME##4(unsigned, unsigned);
__HGRD_SIMD1(abs) __HGRD_SIMD1(absss) __HGRD_SIMD1(neg) __HGRD_SIMD1(negss)
__HGRD_SIMD2(add) __HGRD_SIMD2(addss) __HGRD_SIMD2(addus) __HGRD_SIMD2(sub) __HGRD_SIMD2(subss) __HGRD_SIMD2(subus)
__HGRD_SIMD2(avgs) __HGRD_SIMD2(avgu) __HGRD_SIMD2(haddu) __HGRD_SIMD2(absdiffs) __HGRD_SIMD2(absdiffu)
__HGRD_SIMD2(maxs) __HGRD_SIMD2(maxu) __HGRD_SIMD2(mins) __HGRD_SIMD2(minu) __HGRD_SIMD2(sads) __HGRD_SIMD2(sadu)
__HGRD_SIMD2(cmpeq) __HGRD_SIMD2(cmpne) __HGRD_SIMD2(cmpges) __HGRD_SIMD2(cmpgeu) __HGRD_SIMD2(cmpgts)
__HGRD_SIMD2(cmpgtu) __HGRD_SIMD2(cmples) __HGRD_SIMD2(cmpleu) __HGRD_SIMD2(cmplts) __HGRD_SIMD2(cmpltu)
__HGRD_SIMD2(seteq) __HGRD_SIMD2(setne) __HGRD_SIMD2(setges) __HGRD_SIMD2(setgeu) __HGRD_SIMD2(setgts)
__HGRD_SIMD2(setgtu) __HGRD_SIMD2(setles) __HGRD_SIMD2(setleu) __HGRD_SIMD2(setlts) __HGRD_SIMD2(setltu)
#undef __HGRD_SIMD1
#undef __HGRD_SIMD2

// Fused minima and maxima of two or three operands ("DPX"), on 32 bits or on two halves of 16 bits.
#define __HGRD_DPX(NAME, T, SUFFIX) \
    extern __HGRD_INTRINSIC T __vi##NAME##3_##SUFFIX(T, T, T), __viadd##NAME##_##SUFFIX(T, T, T);
#define __HGRD_DPX_RELU(NAME, T, SUFFIX) \
    __HGRD_DPX(NAME, T, SUFFIX) \
    extern __HGRD_INTRINSIC T __vi##NAME##_##SUFFIX##_relu(T, T), __vi##NAME##3_##SUFFIX##_relu(T, T, T), \
        __viadd##NAME##_##SUFFIX##_relu(T, T, T);
__HGRD_DPX_RELU(max, int, s32) __HGRD_DPX_RELU(min, int, s32)
__HGRD_DPX_RELU(max, unsigned, s16x2) __HGRD_DPX_RELU(min, unsigned, s16x2)
__HGRD_DPX(max, unsigned, u32) __HGRD_DPX(min, unsigned, u32)
__HGRD_DPX(max, unsigned, u16x2) __HGRD_DPX(min, unsigned, u16x2)
#undef __HGRD_DPX
#undef __HGRD_DPX_RELU
extern __HGRD_INTRINSIC int __vibmax_s32(int, int, bool*), __vibmin_s32(int, int, bool*);
extern __HGRD_INTRINSIC unsigned __vibmax_u32(unsigned, unsigned, bool*), __vibmin_u32(unsigned, unsigned, bool*);
extern __HGRD_INTRINSIC unsigned __vibmax_s16x2(unsigned, unsigned, bool*, bool*);
extern __HGRD_INTRINSIC unsigned __vibmin_s16x2(unsigned, unsigned, bool*, bool*);
extern __HGRD_INTRINSIC unsigned __vibmax_u16x2(unsigned, unsigned, bool*, bool*);
extern __HGRD_INTRINSIC unsigned __vibmin_u16x2(unsigned, unsigned, bool*, bool*);
