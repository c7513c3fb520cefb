// What programs say to KLEE and GKLEE: assumptions are facts for us, the rest is nothing.
#pragma once
#include "../hgrd/prelude.h"
#ifdef __cplusplus
#define klee_assume(condition) __assume(static_cast<bool>(condition))
template <class... T> __HGRD_BOTH void klee_make_symbolic(T... arguments);
template <class... T> __HGRD_BOTH void klee_print_expr(T... arguments);
__HGRD_BOTH int klee_int(const char* name);
__HGRD_BOTH int klee_range(int low, int high, const char* name);
__HGRD_BOTH void klee_silent_exit(int status);
#endif
