#include "../hgrd/prelude.h"
