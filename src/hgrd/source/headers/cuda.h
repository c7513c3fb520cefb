// The driver API.
#pragma once
#include "hgrd/driver.h"
