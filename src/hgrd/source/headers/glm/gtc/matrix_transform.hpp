#include "../../defined/glm.h"
