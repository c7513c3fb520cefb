// Random numbers from the host.
#pragma once
#include "hgrd/library.h"
#define CURAND_H_
typedef enum curandStatus {
    CURAND_STATUS_SUCCESS = 0, CURAND_STATUS_VERSION_MISMATCH = 100, CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102, CURAND_STATUS_TYPE_ERROR = 103, CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105, CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
    CURAND_STATUS_LAUNCH_FAILURE = 201, CURAND_STATUS_PREEXISTING_FAILURE = 202,
    CURAND_STATUS_INITIALIZATION_FAILED = 203, CURAND_STATUS_ARCH_MISMATCH = 204, CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;
typedef enum curandRngType {
    CURAND_RNG_TEST = 0, CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121, CURAND_RNG_PSEUDO_MTGP32 = 141, CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161, CURAND_RNG_QUASI_DEFAULT = 200, CURAND_RNG_QUASI_SOBOL32 = 201,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202, CURAND_RNG_QUASI_SOBOL64 = 203,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
} curandRngType_t;
typedef enum curandOrdering {
    CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT = 101, CURAND_ORDERING_PSEUDO_SEEDED = 102,
    CURAND_ORDERING_PSEUDO_LEGACY = 103, CURAND_ORDERING_PSEUDO_DYNAMIC = 104, CURAND_ORDERING_QUASI_DEFAULT = 201
} curandOrdering_t;
typedef enum curandDirectionVectorSet {
    CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
    CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104
} curandDirectionVectorSet_t;
typedef struct curandGenerator_st* curandGenerator_t;
typedef struct curandDistribution_st* curandDiscreteDistribution_t;
typedef unsigned curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
#define __HGRD_CURAND(NAME) __HGRD_LIBRARY(curandStatus_t, NAME)
__HGRD_C curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type);
__HGRD_C curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type);
__HGRD_CURAND(curandDestroyGenerator) __HGRD_CURAND(curandSetPseudoRandomGeneratorSeed)
__HGRD_CURAND(curandSetGeneratorOffset) __HGRD_CURAND(curandSetGeneratorOrdering) __HGRD_CURAND(curandSetStream)
__HGRD_CURAND(curandSetQuasiRandomGeneratorDimensions) __HGRD_CURAND(curandGenerate)
__HGRD_CURAND(curandGenerateLongLong) __HGRD_CURAND(curandGenerateUniform) __HGRD_CURAND(curandGenerateUniformDouble)
__HGRD_CURAND(curandGenerateNormal) __HGRD_CURAND(curandGenerateNormalDouble) __HGRD_CURAND(curandGenerateLogNormal)
__HGRD_CURAND(curandGenerateLogNormalDouble) __HGRD_CURAND(curandGeneratePoisson) __HGRD_CURAND(curandGenerateSeeds)
__HGRD_CURAND(curandGetVersion) __HGRD_CURAND(curandCreatePoissonDistribution) __HGRD_CURAND(curandDestroyDistribution)
__HGRD_CURAND(curandMakeMTGP32Constants) __HGRD_CURAND(curandMakeMTGP32KernelState)
__HGRD_C curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t* vectors[], curandDirectionVectorSet_t);
__HGRD_C curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t* vectors[], curandDirectionVectorSet_t);
#undef __HGRD_CURAND
