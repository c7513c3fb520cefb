// The helpers that NVIDIA's samples share and many programs use; a copy that the user has goes first.
#pragma once
#include "hgrd/library.h"
#include "helper_string.h"
#define checkCudaErrors(value) check((value), #value, __FILE__, __LINE__)
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)
#define cutilSafeCall(value) checkCudaErrors(value)
#define cutilCheckMsg(message) getLastCudaError(message)
#ifdef __cplusplus
template <class T> void check(T result, const char* const function, const char* const file, int line);
extern void __getLastCudaError(const char* message, const char* file, int line);
extern void __printLastCudaError(const char* message, const char* file, int line);
extern int ftoi(float value);
extern int _ConvertSMVer2Cores(int major, int minor);
extern const char* _ConvertSMVer2ArchName(int major, int minor);
extern int gpuDeviceInit(int device);
extern int gpuGetMaxGflopsDeviceId();
extern int findCudaDevice(int count, const char** arguments);
extern int findIntegratedGPU();
extern bool checkCudaCapabilities(int major, int minor);
#endif
