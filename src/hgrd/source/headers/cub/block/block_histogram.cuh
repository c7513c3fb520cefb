#include "../../defined/cub.h"
