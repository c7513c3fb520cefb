#define STORE(array, index) array[index] = 1
#define TWICE(x) STORE(x, 0); STORE(x, 1)
#include "spans.h"
__global__ void macros(int *first,
                       int *second) {
    STORE(first, threadIdx.x);
    TWICE(second);
    if (first[0] ==
        second[1])
        from_header(first + 2);
}
