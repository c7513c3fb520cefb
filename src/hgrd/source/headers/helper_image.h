// Images and comparisons, as NVIDIA's samples have them.
#pragma once
#include "hgrd/library.h"
#ifdef __cplusplus
template <class T> bool sdkLoadPGM(const char* file, T** data, unsigned* width, unsigned* height);
template <class T> bool sdkSavePGM(const char* file, T* data, unsigned width, unsigned height);
template <class T> bool sdkLoadPPM4(const char* file, T** data, unsigned* width, unsigned* height);
template <class T> bool sdkSavePPM4(const char* file, T* data, unsigned width, unsigned height);
template <class T> bool sdkSavePPM4ub(const char* file, T* data, unsigned width, unsigned height);
template <class T> bool sdkReadFile(const char* file, T** data, unsigned* length, bool verbose);
template <class T, class S> bool sdkWriteFile(const char* file, const T* data, unsigned length, const S epsilon,
                                              bool verbose, bool append = false);
template <class T, class S> bool compareData(const T* reference, const T* data, const unsigned length, const S epsilon,
                                             const float threshold);
extern bool sdkCompareL2fe(const float* reference, const float* data, const unsigned length, const float epsilon);
#endif
