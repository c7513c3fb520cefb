// Compilation at run time: what the host calls.
#pragma once
#include "hgrd/library.h"
typedef enum { NVRTC_SUCCESS, NVRTC_ERROR_OUT_OF_MEMORY, NVRTC_ERROR_PROGRAM_CREATION_FAILURE,
               NVRTC_ERROR_INVALID_INPUT, NVRTC_ERROR_INVALID_PROGRAM, NVRTC_ERROR_INVALID_OPTION,
               NVRTC_ERROR_COMPILATION } nvrtcResult;
__HGRD_OPAQUE(nvrtcProgram)
#define __HGRD_N(NAME) __HGRD_LIBRARY(nvrtcResult, nvrtc##NAME)
__HGRD_N(CreateProgram) __HGRD_N(CompileProgram) __HGRD_N(DestroyProgram) __HGRD_N(GetPTXSize) __HGRD_N(GetPTX)
__HGRD_N(GetCUBINSize) __HGRD_N(GetCUBIN) __HGRD_N(GetLTOIRSize) __HGRD_N(GetLTOIR) __HGRD_N(GetProgramLogSize)
__HGRD_N(GetProgramLog) __HGRD_N(AddNameExpression) __HGRD_N(GetLoweredName) __HGRD_N(Version)
__HGRD_LIBRARY(const char*, nvrtcGetErrorString)
#undef __HGRD_N
