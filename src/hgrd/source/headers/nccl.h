// Collectives between devices: what the host calls.
#pragma once
#include "hgrd/library.h"
typedef enum { ncclSuccess, ncclUnhandledCudaError, ncclSystemError, ncclInternalError, ncclInvalidArgument,
               ncclInvalidUsage, ncclRemoteError, ncclInProgress } ncclResult_t;
typedef enum { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg } ncclRedOp_t;
typedef enum { ncclInt8 = 0, ncclChar = 0, ncclUint8 = 1, ncclInt32 = 2, ncclInt = 2, ncclUint32 = 3, ncclInt64 = 4,
               ncclUint64 = 5, ncclFloat16 = 6, ncclHalf = 6, ncclFloat32 = 7, ncclFloat = 7, ncclFloat64 = 8,
               ncclDouble = 8, ncclBfloat16 = 9 } ncclDataType_t;
typedef struct { char internal[128]; } ncclUniqueId;
typedef struct ncclComm* ncclComm_t;
#define __HGRD_N(NAME) __HGRD_LIBRARY(ncclResult_t, nccl##NAME)
__HGRD_N(GetUniqueId) __HGRD_N(CommInitRank) __HGRD_N(CommInitAll) __HGRD_N(CommDestroy) __HGRD_N(CommFinalize)
__HGRD_N(CommCount) __HGRD_N(CommUserRank) __HGRD_N(AllReduce) __HGRD_N(Reduce) __HGRD_N(Broadcast) __HGRD_N(Bcast)
__HGRD_N(AllGather) __HGRD_N(ReduceScatter) __HGRD_N(Send) __HGRD_N(Recv) __HGRD_N(GroupStart) __HGRD_N(GroupEnd)
__HGRD_N(GetVersion)
__HGRD_LIBRARY(const char*, ncclGetErrorString)
#undef __HGRD_N
