#include "cusolverSp.h"
