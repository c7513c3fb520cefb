// Host libraries of which only the names matter: functions that take whatever they are given, by value.
#pragma once
#include "prelude.h"
#ifdef __cplusplus
#define __HGRD_LIBRARY(RESULT, NAME) template <class... T> __HGRD_BOTH RESULT NAME(T... arguments);
#else
#define __HGRD_LIBRARY(RESULT, NAME) extern RESULT NAME();
#endif
#define __HGRD_OPAQUE(NAME) typedef struct __hgrd_##NAME* NAME;
