#include "../../defined/tensors.h"
