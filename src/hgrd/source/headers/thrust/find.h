#include "../hgrd/thrust_algorithms.h"
