#include "helper_cuda.h"
#include "cuda.h"
