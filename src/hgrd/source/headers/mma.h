// Matrix fragments of a warp.
#if !defined(__HGRD_MMA)
#define __HGRD_MMA 1
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#ifdef __cplusplus
template <class T> __HGRD_DEVICE void __load_element(const T* from, int fragment, unsigned row, unsigned column);
template <class T> __HGRD_DEVICE void __store_element(T* to, int fragment, unsigned row, unsigned column);
namespace nvcuda {
namespace wmma {
namespace precision { struct tf32; struct u4; struct s4; struct b1; }
namespace experimental {
namespace precision { struct u4; struct s4; struct b1; }
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}
template <class F, class T> __HGRD_DEVICE void fill_fragment(F& fragment, T value);
template <class D, class A, class B, class C>
__HGRD_DEVICE void mma_sync(D& d, const A& a, const B& b, const C& c, bool saturate = false);
template <class D, class A, class B, class C>
__HGRD_DEVICE void bmma_sync(D& d, const A& a, const B& b, const C& c,
                             experimental::bmmaBitOp = experimental::bmmaBitOpXOR,
                             experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC);
__HGRD_DEVICE float __float_to_tf32(float value);
template <class F> __HGRD_DEVICE void __receive(F& fragment);
}
}
#endif
#endif
#ifdef __cplusplus
#include "defined/fragments.h"
#endif
