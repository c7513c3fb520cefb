// Annotations for profilers.
#pragma once
#include "hgrd/library.h"
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE (sizeof(nvtxEventAttributes_t))
enum __hgrd_nvtx { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB, NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1,
       NVTX_MESSAGE_TYPE_UNICODE = 2 };
typedef union { const char* ascii; const wchar_t* unicode; } nvtxMessageValue_t;
typedef struct nvtxEventAttributes_t {
    unsigned short version, size;
    unsigned category;
    int colorType;
    unsigned color;
    int payloadType, reserved0;
    union { unsigned long long ullValue; long long llValue; double dValue; } payload;
    int messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;
typedef unsigned long long nvtxRangeId_t;
__HGRD_LIBRARY(int, nvtxRangePushA)
__HGRD_LIBRARY(int, nvtxRangePushEx)
__HGRD_LIBRARY(int, nvtxRangePop)
__HGRD_LIBRARY(nvtxRangeId_t, nvtxRangeStartA)
__HGRD_LIBRARY(nvtxRangeId_t, nvtxRangeStartEx)
__HGRD_LIBRARY(void, nvtxRangeEnd)
__HGRD_LIBRARY(void, nvtxMarkA)
__HGRD_LIBRARY(void, nvtxMarkEx)
__HGRD_LIBRARY(void, nvtxNameOsThreadA)
#define nvtxRangePush nvtxRangePushA
#define nvtxMark nvtxMarkA
