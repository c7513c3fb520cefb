// Fragments of matrices: what loads and stores them does what its body says.  One lane of the warp holds an element of an
// accumulator; which one, only the type of the fragment tells.
#if !defined(__HGRD_PRECOMPILING) && !defined(__HGRD_BODIES_OF_FRAGMENTS)
#define __HGRD_BODIES_OF_FRAGMENTS 1
namespace nvcuda {
namespace wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
template <class T> struct __element { typedef T type; enum { number = 0 }; };
template <> struct __element<__half> { typedef __half type; enum { number = 1 }; };
template <> struct __element<float> { typedef float type; enum { number = 2 }; };
template <> struct __element<double> { typedef double type; enum { number = 3 }; };
template <> struct __element<int> { typedef int type; enum { number = 4 }; };
template <> struct __element<precision::tf32> { typedef float type; enum { number = 0 }; };
template <> struct __element<experimental::precision::u4> { typedef unsigned type; enum { number = 0 }; };
template <> struct __element<experimental::precision::s4> { typedef int type; enum { number = 0 }; };
template <> struct __element<experimental::precision::b1> { typedef unsigned type; enum { number = 0 }; };
template <class Layout> struct __by_rows { enum { value = 0 }; };
template <> struct __by_rows<row_major> { enum { value = 1 }; };
template <class Use, int M, int N, int K> struct __tile;
template <int M, int N, int K> struct __tile<matrix_a, M, N, K> { enum { rows = M, columns = K }; };
template <int M, int N, int K> struct __tile<matrix_b, M, N, K> { enum { rows = K, columns = N }; };
template <int M, int N, int K> struct __tile<accumulator, M, N, K> { enum { rows = M, columns = N }; };
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
    typedef typename __element<T>::type element_type;
    enum { num_elements = 16, num_storage_elements = 16 };
    typename __element<T>::type x[num_elements];
};
template <int M, int N, int K, class T> struct __accumulator {
    enum { number = ((__element<T>::number * 64 + M) * 64 + N) * 64 + K };
};
__HGRD_DEVICE inline unsigned long long __at(unsigned row, unsigned column, unsigned stride, bool by_rows) {
    return by_rows ? (unsigned long long)row * stride + column : (unsigned long long)column * stride + row;
}
template <class Use, int M, int N, int K, class T, class Layout, class From>
__HGRD_DEVICE void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& to, const From* from, unsigned stride) {
    for (unsigned row = 0; row < __tile<Use, M, N, K>::rows; row++)
        for (unsigned column = 0; column < __tile<Use, M, N, K>::columns; column++)
            From element = from[__at(row, column, stride, __by_rows<Layout>::value)];
    __receive(to);
}
#define __HGRD_PACKED(T) \
    template <class Use, int M, int N, int K, class Layout, class From> \
    __HGRD_DEVICE void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& to, const From* from, unsigned stride);
__HGRD_PACKED(experimental::precision::u4)
__HGRD_PACKED(experimental::precision::s4)
__HGRD_PACKED(experimental::precision::b1)
#undef __HGRD_PACKED
template <int M, int N, int K, class T, class From>
__HGRD_DEVICE void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const From* from, unsigned stride,
                                    layout_t layout) {
    for (unsigned row = 0; row < M; row++)
        for (unsigned column = 0; column < N; column++)
            __load_element(from + __at(row, column, stride, layout == mem_row_major), __accumulator<M, N, K, T>::number,
                           row, column);
    __receive(to);
}
template <int M, int N, int K, class T, class To>
__HGRD_DEVICE void store_matrix_sync(To* to, const fragment<accumulator, M, N, K, T>& from, unsigned stride,
                                     layout_t layout) {
    for (unsigned row = 0; row < M; row++)
        for (unsigned column = 0; column < N; column++)
            __store_element(to + __at(row, column, stride, layout == mem_row_major), __accumulator<M, N, K, T>::number,
                            row, column);
}
}
}
#endif
