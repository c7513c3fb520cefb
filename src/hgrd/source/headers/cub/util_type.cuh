#include "../hgrd/cub.h"
