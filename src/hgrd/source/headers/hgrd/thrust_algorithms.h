// Thrust: algorithms, each with and without an execution policy.
#pragma once
#include "thrust_functions.h"
namespace thrust {
#define __HGRD_COMMA ,
#define __HGRD_1(R, N, ...) \
    template <class I> __HGRD_BOTH R N(__VA_ARGS__); \
    template <class P, class I> __HGRD_BOTH R N(const execution_policy<P>&, __VA_ARGS__);
#define __HGRD_2(R, N, ...) \
    template <class I, class J> __HGRD_BOTH R N(__VA_ARGS__); \
    template <class P, class I, class J> __HGRD_BOTH R N(const execution_policy<P>&, __VA_ARGS__);
#define __HGRD_3(R, N, ...) \
    template <class I, class J, class K> __HGRD_BOTH R N(__VA_ARGS__); \
    template <class P, class I, class J, class K> __HGRD_BOTH R N(const execution_policy<P>&, __VA_ARGS__);
#define __HGRD_4(R, N, ...) \
    template <class I, class J, class K, class L> __HGRD_BOTH R N(__VA_ARGS__); \
    template <class P, class I, class J, class K, class L> __HGRD_BOTH R N(const execution_policy<P>&, __VA_ARGS__);
#define __HGRD_5(R, N, ...) \
    template <class I, class J, class K, class L, class M> __HGRD_BOTH R N(__VA_ARGS__); \
    template <class P, class I, class J, class K, class L, class M> \
    __HGRD_BOTH R N(const execution_policy<P>&, __VA_ARGS__);
#define __HGRD_6(R, N, ...) \
    template <class I, class J, class K, class L, class M, class O> __HGRD_BOTH R N(__VA_ARGS__); \
    template <class P, class I, class J, class K, class L, class M, class O> \
    __HGRD_BOTH R N(const execution_policy<P>&, __VA_ARGS__);

// Order
__HGRD_1(void, sort, I first, I last)
__HGRD_2(void, sort, I first, I last, J less)
__HGRD_1(void, stable_sort, I first, I last)
__HGRD_2(void, stable_sort, I first, I last, J less)
__HGRD_2(void, sort_by_key, I first, I last, J values)
__HGRD_3(void, sort_by_key, I first, I last, J values, K less)
__HGRD_2(void, stable_sort_by_key, I first, I last, J values)
__HGRD_3(void, stable_sort_by_key, I first, I last, J values, K less)
__HGRD_1(bool, is_sorted, I first, I last)
__HGRD_2(bool, is_sorted, I first, I last, J less)
__HGRD_1(I, is_sorted_until, I first, I last)
__HGRD_3(K, merge, I first, I last, J first2, J last2, K to)
__HGRD_4(K, merge, I first, I last, J first2, J last2, K to, L less)
__HGRD_3(K, set_union, I first, I last, J first2, J last2, K to)
__HGRD_3(K, set_intersection, I first, I last, J first2, J last2, K to)
__HGRD_3(K, set_difference, I first, I last, J first2, J last2, K to)
__HGRD_1(void, reverse, I first, I last)
__HGRD_2(J, reverse_copy, I first, I last, J to)
__HGRD_2(void, shuffle, I first, I last, J&& random)
__HGRD_3(J, shuffle_copy, I first, I last, J to, K&& random)
// Reductions
__HGRD_1(__value<I>, reduce, I first, I last)
__HGRD_2(J, reduce, I first, I last, J initial)
__HGRD_3(J, reduce, I first, I last, J initial, K function)
__HGRD_4(pair<K __HGRD_COMMA L>, reduce_by_key, I first, I last, J values, K keys, L to)
__HGRD_5(pair<K __HGRD_COMMA L>, reduce_by_key, I first, I last, J values, K keys, L to, M equal)
__HGRD_6(pair<K __HGRD_COMMA L>, reduce_by_key, I first, I last, J values, K keys, L to, M equal, O function)
__HGRD_4(K, transform_reduce, I first, I last, J map, K initial, L function)
__HGRD_3(K, inner_product, I first, I last, J first2, K initial)
__HGRD_5(K, inner_product, I first, I last, J first2, K initial, L add, M multiply)
__HGRD_2(ptrdiff_t, count, I first, I last, const J& value)
__HGRD_2(ptrdiff_t, count_if, I first, I last, J predicate)
__HGRD_1(I, max_element, I first, I last)
__HGRD_2(I, max_element, I first, I last, J less)
__HGRD_1(I, min_element, I first, I last)
__HGRD_2(I, min_element, I first, I last, J less)
__HGRD_1(pair<I __HGRD_COMMA I>, minmax_element, I first, I last)
__HGRD_2(pair<I __HGRD_COMMA I>, minmax_element, I first, I last, J less)
__HGRD_2(bool, all_of, I first, I last, J predicate)
__HGRD_2(bool, any_of, I first, I last, J predicate)
__HGRD_2(bool, none_of, I first, I last, J predicate)
__HGRD_2(bool, equal, I first, I last, J first2)
__HGRD_3(bool, equal, I first, I last, J first2, K equal)
__HGRD_2(pair<I __HGRD_COMMA J>, mismatch, I first, I last, J first2)
// Scans
__HGRD_2(J, inclusive_scan, I first, I last, J to)
__HGRD_3(J, inclusive_scan, I first, I last, J to, K function)
__HGRD_2(J, exclusive_scan, I first, I last, J to)
__HGRD_3(J, exclusive_scan, I first, I last, J to, K initial)
__HGRD_4(J, exclusive_scan, I first, I last, J to, K initial, L function)
__HGRD_3(K, inclusive_scan_by_key, I first, I last, J values, K to)
__HGRD_4(K, inclusive_scan_by_key, I first, I last, J values, K to, L equal)
__HGRD_5(K, inclusive_scan_by_key, I first, I last, J values, K to, L equal, M function)
__HGRD_3(K, exclusive_scan_by_key, I first, I last, J values, K to)
__HGRD_4(K, exclusive_scan_by_key, I first, I last, J values, K to, L initial)
__HGRD_5(K, exclusive_scan_by_key, I first, I last, J values, K to, L initial, M equal)
__HGRD_4(J, transform_inclusive_scan, I first, I last, J to, K map, L function)
__HGRD_5(J, transform_exclusive_scan, I first, I last, J to, K map, L initial, M function)
__HGRD_2(J, adjacent_difference, I first, I last, J to)
__HGRD_3(J, adjacent_difference, I first, I last, J to, K function)
// Maps
__HGRD_3(J, transform, I first, I last, J to, K function)
__HGRD_4(K, transform, I first, I last, J first2, K to, L function)
__HGRD_4(J, transform_if, I first, I last, J to, K function, L predicate)
__HGRD_5(K, transform_if, I first, I last, J stencil, K to, L function, M predicate)
__HGRD_2(I, for_each, I first, I last, J function)
__HGRD_3(I, for_each_n, I first, J n, K function)
__HGRD_1(void, sequence, I first, I last)
__HGRD_2(void, sequence, I first, I last, J initial)
__HGRD_3(void, sequence, I first, I last, J initial, K step)
__HGRD_2(void, tabulate, I first, I last, J function)
__HGRD_2(void, generate, I first, I last, J function)
__HGRD_3(I, generate_n, I first, J n, K function)
__HGRD_2(void, fill, I first, I last, const J& value)
__HGRD_3(I, fill_n, I first, J n, const K& value)
__HGRD_2(void, uninitialized_fill, I first, I last, const J& value)
// Copies
__HGRD_2(J, copy, I first, I last, J to)
__HGRD_3(K, copy_n, I first, J n, K to)
__HGRD_3(J, copy_if, I first, I last, J to, K predicate)
__HGRD_4(K, copy_if, I first, I last, J stencil, K to, L predicate)
__HGRD_2(J, uninitialized_copy, I first, I last, J to)
__HGRD_3(K, gather, I first, I last, J from, K to)
__HGRD_4(L, gather_if, I first, I last, J stencil, K from, L to)
__HGRD_3(void, scatter, I first, I last, J map, K to)
__HGRD_4(void, scatter_if, I first, I last, J map, K stencil, L to)
__HGRD_2(J, swap_ranges, I first, I last, J to)
// Selection
__HGRD_2(I, remove, I first, I last, const J& value)
__HGRD_2(I, remove_if, I first, I last, J predicate)
__HGRD_3(I, remove_if, I first, I last, J stencil, K predicate)
__HGRD_3(J, remove_copy, I first, I last, J to, const K& value)
__HGRD_3(J, remove_copy_if, I first, I last, J to, K predicate)
__HGRD_2(void, replace, I first, I last, const J& from, const J& to)
__HGRD_3(void, replace_if, I first, I last, J predicate, const K& value)
__HGRD_4(void, replace_if, I first, I last, J stencil, K predicate, const L& value)
__HGRD_1(I, unique, I first, I last)
__HGRD_2(I, unique, I first, I last, J equal)
__HGRD_2(J, unique_copy, I first, I last, J to)
__HGRD_2(pair<I __HGRD_COMMA J>, unique_by_key, I first, I last, J values)
__HGRD_3(pair<I __HGRD_COMMA J>, unique_by_key, I first, I last, J values, K equal)
__HGRD_4(pair<K __HGRD_COMMA L>, unique_by_key_copy, I first, I last, J values, K keys, L to)
__HGRD_1(ptrdiff_t, unique_count, I first, I last)
__HGRD_2(I, partition, I first, I last, J predicate)
__HGRD_3(I, partition, I first, I last, J stencil, K predicate)
__HGRD_2(I, stable_partition, I first, I last, J predicate)
__HGRD_3(I, stable_partition, I first, I last, J stencil, K predicate)
__HGRD_4(pair<J __HGRD_COMMA K>, partition_copy, I first, I last, J yes, K no, L predicate)
// Searches
__HGRD_2(I, find, I first, I last, const J& value)
__HGRD_2(I, find_if, I first, I last, J predicate)
__HGRD_2(I, find_if_not, I first, I last, J predicate)
__HGRD_2(I, lower_bound, I first, I last, const J& value)
__HGRD_3(K, lower_bound, I first, I last, J first2, J last2, K to)
__HGRD_2(I, upper_bound, I first, I last, const J& value)
__HGRD_3(K, upper_bound, I first, I last, J first2, J last2, K to)
__HGRD_2(bool, binary_search, I first, I last, const J& value)
__HGRD_3(K, binary_search, I first, I last, J first2, J last2, K to)
__HGRD_2(pair<I __HGRD_COMMA I>, equal_range, I first, I last, const J& value)
#undef __HGRD_1
#undef __HGRD_2
#undef __HGRD_3
#undef __HGRD_4
#undef __HGRD_5
#undef __HGRD_6
#undef __HGRD_COMMA
}
