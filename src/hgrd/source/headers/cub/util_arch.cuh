#include "../defined/cub.h"
