#include "../defined/tensors.h"
