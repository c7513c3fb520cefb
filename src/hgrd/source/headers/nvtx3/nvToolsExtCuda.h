#include "../nvToolsExt.h"
