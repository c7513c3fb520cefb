#include "../../defined/tensors.h"
#include "../../defined/warp_shuffles.h"
