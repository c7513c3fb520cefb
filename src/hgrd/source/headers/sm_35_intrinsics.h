#include "hgrd/prelude.h"
