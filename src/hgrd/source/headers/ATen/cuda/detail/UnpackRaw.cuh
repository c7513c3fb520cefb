#include "../../../defined/tensors.h"
