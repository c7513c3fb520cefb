#include "../defined/tensor_numbers.h"
