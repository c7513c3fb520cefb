#include "../defined/glm.h"
