// Conversions with an explicit rounding, and reinterpretations of bits.
#pragma once
#define __HGRD_ROUNDINGS(TO, NAME, FROM) \
    extern __HGRD_INTRINSIC TO __##NAME##_rn(FROM), __##NAME##_rz(FROM), __##NAME##_rd(FROM), __##NAME##_ru(FROM);
__HGRD_ROUNDINGS(int, float2int, float)
__HGRD_ROUNDINGS(unsigned, float2uint, float)
__HGRD_ROUNDINGS(long long, float2ll, float)
__HGRD_ROUNDINGS(unsigned long long, float2ull, float)
__HGRD_ROUNDINGS(float, int2float, int)
__HGRD_ROUNDINGS(float, uint2float, unsigned)
__HGRD_ROUNDINGS(float, ll2float, long long)
__HGRD_ROUNDINGS(float, ull2float, unsigned long long)
__HGRD_ROUNDINGS(int, double2int, double)
__HGRD_ROUNDINGS(unsigned, double2uint, double)
__HGRD_ROUNDINGS(long long, double2ll, double)
__HGRD_ROUNDINGS(unsigned long long, double2ull, double)
__HGRD_ROUNDINGS(float, double2float, double)
__HGRD_ROUNDINGS(double, int2double, int)
__HGRD_ROUNDINGS(double, uint2double, unsigned)
__HGRD_ROUNDINGS(double, ll2double, long long)
__HGRD_ROUNDINGS(double, ull2double, unsigned long long)
#undef __HGRD_ROUNDINGS
extern __HGRD_INTRINSIC int __float_as_int(float);
extern __HGRD_INTRINSIC unsigned __float_as_uint(float);
extern __HGRD_INTRINSIC float __int_as_float(int);
extern __HGRD_INTRINSIC float __uint_as_float(unsigned);
extern __HGRD_INTRINSIC long long __double_as_longlong(double);
extern __HGRD_INTRINSIC double __longlong_as_double(long long);
extern __HGRD_INTRINSIC int __double2hiint(double);
extern __HGRD_INTRINSIC int __double2loint(double);
extern __HGRD_INTRINSIC double __hiloint2double(int, int);
extern __HGRD_DEVICE int float_as_int(float);
extern __HGRD_DEVICE float int_as_float(int);
extern __HGRD_DEVICE unsigned float_as_uint(float);
extern __HGRD_DEVICE float uint_as_float(unsigned);
extern __HGRD_DEVICE int float2int(float, int mode = 0);
extern __HGRD_DEVICE float int2float(int, int mode = 0);
extern __HGRD_DEVICE unsigned float2uint(float, int mode = 0);
extern __HGRD_DEVICE float uint2float(unsigned, int mode = 0);
