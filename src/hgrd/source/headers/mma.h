// Matrix fragments of a warp.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#ifdef __cplusplus
namespace nvcuda {
namespace wmma {
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32; struct u4; struct s4; struct b1; }
namespace experimental {
namespace precision { struct u4; struct s4; struct b1; }
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}
template <class T> struct __element { typedef T type; };
template <> struct __element<precision::tf32> { typedef float type; };
template <> struct __element<experimental::precision::u4> { typedef unsigned type; };
template <> struct __element<experimental::precision::s4> { typedef int type; };
template <> struct __element<experimental::precision::b1> { typedef unsigned type; };
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
    typedef typename __element<T>::type element_type;
    enum { num_elements = 16, num_storage_elements = 16 };
    typename __element<T>::type x[num_elements];
};
template <class F, class T> __HGRD_DEVICE void fill_fragment(F& fragment, T value);
template <class F, class T> __HGRD_DEVICE void load_matrix_sync(F& fragment, const T* from, unsigned stride);
template <class F, class T>
__HGRD_DEVICE void load_matrix_sync(F& fragment, const T* from, unsigned stride, layout_t layout);
template <class F, class T>
__HGRD_DEVICE void store_matrix_sync(T* to, const F& fragment, unsigned stride, layout_t layout);
template <class D, class A, class B, class C>
__HGRD_DEVICE void mma_sync(D& d, const A& a, const B& b, const C& c, bool saturate = false);
template <class D, class A, class B, class C>
__HGRD_DEVICE void bmma_sync(D& d, const A& a, const B& b, const C& c,
                             experimental::bmmaBitOp = experimental::bmmaBitOpXOR,
                             experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC);
__HGRD_DEVICE float __float_to_tf32(float value);
}
}
#endif
