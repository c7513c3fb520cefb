// Random numbers in kernels.
#pragma once
#include "curand.h"
#ifdef __cplusplus
#define __HGRD_STATE(NAME) \
    struct NAME { unsigned d, v[5]; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; \
                  double boxmuller_extra_double; }; \
    typedef NAME NAME##_t;
__HGRD_STATE(curandStateXORWOW)
__HGRD_STATE(curandStateMRG32k3a)
__HGRD_STATE(curandStateMtgp32)
__HGRD_STATE(curandStateMT19937)
__HGRD_STATE(curandStatePhilox4_32_10)
__HGRD_STATE(curandStateSobol32)
__HGRD_STATE(curandStateScrambledSobol32)
__HGRD_STATE(curandStateSobol64)
__HGRD_STATE(curandStateScrambledSobol64)
#undef __HGRD_STATE
typedef curandStateXORWOW curandState;
typedef curandState curandState_t;
template <class State>
__HGRD_BOTH void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, State* state);
template <class T, class State> __HGRD_BOTH void curand_init(T* directions, unsigned long long offset, State* state);
template <class T, class State>
__HGRD_BOTH void curand_init(T* directions, unsigned long long scramble, unsigned long long offset, State* state);
template <class State> __HGRD_BOTH void skipahead(unsigned long long n, State* state);
template <class State> __HGRD_BOTH void skipahead_sequence(unsigned long long n, State* state);
template <class State> __HGRD_BOTH void skipahead_subsequence(unsigned long long n, State* state);
template <class State> __HGRD_BOTH unsigned curand(State* state);
__HGRD_BOTH unsigned long long curand(curandStateSobol64* state);
template <class State> __HGRD_BOTH uint4 curand4(State* state);
#define __HGRD_DRAW(NAME) \
    template <class State> __HGRD_BOTH float curand_##NAME(State* state); \
    template <class State> __HGRD_BOTH float2 curand_##NAME##2(State* state); \
    template <class State> __HGRD_BOTH float4 curand_##NAME##4(State* state); \
    template <class State> __HGRD_BOTH double curand_##NAME##_double(State* state); \
    template <class State> __HGRD_BOTH double2 curand_##NAME##2_double(State* state);
__HGRD_DRAW(uniform)
__HGRD_DRAW(normal)
#undef __HGRD_DRAW
template <class State> __HGRD_BOTH float curand_log_normal(State* state, float mean, float deviation);
template <class State> __HGRD_BOTH float2 curand_log_normal2(State* state, float mean, float deviation);
template <class State> __HGRD_BOTH float4 curand_log_normal4(State* state, float mean, float deviation);
template <class State> __HGRD_BOTH double curand_log_normal_double(State* state, double mean, double deviation);
template <class State> __HGRD_BOTH unsigned curand_poisson(State* state, double lambda);
template <class State> __HGRD_BOTH uint4 curand_poisson4(State* state, double lambda);
template <class State> __HGRD_BOTH unsigned curand_discrete(State* state, curandDiscreteDistribution_t distribution);
#endif
