// What nvcc gives every CUDA source before its first line: declarations only, ours, for parsing.
#pragma once
#include "qualifiers.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __cplusplus
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#endif

#if defined(__cplusplus) && __cplusplus >= 201103L
constexpr bool __hgrd_other_branch = false; // whether a switch macro around has taken another branch than its first
#endif

#include "../assert.h"
#include "vectors.h"

#include "runtime_types.h"

#include "runtime_api.h"

#ifdef __cplusplus
#include "atomics.h"
#include "conversions.h"
#include "integers.h"
#include "mathematics.h"
#include "memory.h"
#include "runtime_templates.h"
#include "specifications.h"
#include "synchronization.h"
#include "textures.h"
#include "warps.h"
#endif
