// The driver API.
#pragma once
#include "hgrd/driver.h"
// Kernels written for verifiers include nothing else and expect these.
#include "cooperative_groups.h"
#include "curand_kernel.h"
