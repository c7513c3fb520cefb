// Votes, shuffles, matches and reductions of a warp.
#pragma once
extern __HGRD_INTRINSIC unsigned __activemask();
extern __HGRD_INTRINSIC unsigned __ballot_sync(unsigned mask, int predicate);
extern __HGRD_INTRINSIC int __any_sync(unsigned mask, int predicate);
extern __HGRD_INTRINSIC int __all_sync(unsigned mask, int predicate);
extern __HGRD_INTRINSIC int __uni_sync(unsigned mask, int predicate);
extern __HGRD_INTRINSIC unsigned __ballot(int predicate);
extern __HGRD_INTRINSIC int __any(int predicate);
extern __HGRD_INTRINSIC int __all(int predicate);
extern __HGRD_INTRINSIC unsigned __fns(unsigned mask, unsigned base, int offset);
extern __HGRD_INTRINSIC unsigned __lane_id();

template <class T> __HGRD_INTRINSIC unsigned __match_any_sync(unsigned mask, T value);
template <class T> __HGRD_INTRINSIC unsigned __match_all_sync(unsigned mask, T value, int* predicate);

template <class T> __HGRD_INTRINSIC T __shfl_sync(unsigned mask, T value, int lane, int width = 32);
template <class T> __HGRD_INTRINSIC T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <class T> __HGRD_INTRINSIC T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <class T> __HGRD_INTRINSIC T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32);
template <class T> __HGRD_INTRINSIC T __shfl(T value, int lane, int width = 32);
template <class T> __HGRD_INTRINSIC T __shfl_up(T value, unsigned delta, int width = 32);
template <class T> __HGRD_INTRINSIC T __shfl_down(T value, unsigned delta, int width = 32);
template <class T> __HGRD_INTRINSIC T __shfl_xor(T value, int lanes, int width = 32);

extern __HGRD_INTRINSIC unsigned __reduce_add_sync(unsigned mask, unsigned value);
extern __HGRD_INTRINSIC unsigned __reduce_min_sync(unsigned mask, unsigned value);
extern __HGRD_INTRINSIC unsigned __reduce_max_sync(unsigned mask, unsigned value);
extern __HGRD_INTRINSIC int __reduce_add_sync(unsigned mask, int value);
extern __HGRD_INTRINSIC int __reduce_min_sync(unsigned mask, int value);
extern __HGRD_INTRINSIC int __reduce_max_sync(unsigned mask, int value);
extern __HGRD_INTRINSIC unsigned __reduce_and_sync(unsigned mask, unsigned value);
extern __HGRD_INTRINSIC unsigned __reduce_or_sync(unsigned mask, unsigned value);
extern __HGRD_INTRINSIC unsigned __reduce_xor_sync(unsigned mask, unsigned value);
