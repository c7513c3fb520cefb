#include "../../hgrd/cub.h"
