// Cooperative groups: the declarations.
#pragma once
#include "hgrd/prelude.h"
#ifdef __cplusplus
#include "hgrd/standard.h"
#define _COOPERATIVE_GROUPS_H_
#define _CG_HAS_CLUSTER_GROUP 1
namespace cooperative_groups {
#define __HGRD_G __HGRD_INTRINSIC
struct thread_group {
    __HGRD_G void sync() const;
    __HGRD_G unsigned long long size() const;
    __HGRD_G unsigned long long num_threads() const;
    __HGRD_G unsigned long long thread_rank() const;
    __HGRD_G bool is_valid() const;
};
struct thread_block : thread_group {
    struct arrival_token {};
    __HGRD_G static void sync();
    __HGRD_G arrival_token barrier_arrive() const;
    __HGRD_G void barrier_wait(arrival_token&&) const;
    __HGRD_G static unsigned size();
    __HGRD_G static unsigned num_threads();
    __HGRD_G static unsigned thread_rank();
    __HGRD_G static dim3 group_index();
    __HGRD_G static dim3 thread_index();
    __HGRD_G static dim3 group_dim();
    __HGRD_G static dim3 dim_threads();
};
struct grid_group : thread_group {
    struct arrival_token {};
    __HGRD_G void sync() const;
    __HGRD_G arrival_token barrier_arrive() const;
    __HGRD_G void barrier_wait(arrival_token&&) const;
    __HGRD_G bool is_valid() const;
    __HGRD_G unsigned long long size() const;
    __HGRD_G unsigned long long num_threads() const;
    __HGRD_G unsigned long long thread_rank() const;
    __HGRD_G dim3 group_dim() const;
    __HGRD_G static unsigned long long block_rank();
    __HGRD_G static unsigned long long num_blocks();
    __HGRD_G static dim3 dim_blocks();
    __HGRD_G static dim3 block_index();
    __HGRD_G static unsigned cluster_rank();
    __HGRD_G static unsigned num_clusters();
    __HGRD_G static dim3 cluster_index();
    __HGRD_G static dim3 dim_clusters();
};
struct multi_grid_group : thread_group {
    __HGRD_G void sync() const;
    __HGRD_G unsigned grid_rank() const;
    __HGRD_G unsigned num_grids() const;
};
struct cluster_group : thread_group {
    struct arrival_token {};
    __HGRD_G static void sync();
    __HGRD_G static arrival_token barrier_arrive();
    __HGRD_G static void barrier_wait();
    __HGRD_G static void barrier_wait(arrival_token&&);
    __HGRD_G static unsigned block_rank();
    __HGRD_G static unsigned num_blocks();
    __HGRD_G static unsigned thread_rank();
    __HGRD_G static unsigned num_threads();
    __HGRD_G static unsigned size();
    __HGRD_G static dim3 thread_index();
    __HGRD_G static dim3 dim_threads();
    __HGRD_G static dim3 block_index();
    __HGRD_G static dim3 dim_blocks();
    __HGRD_G static unsigned query_shared_rank(const void* address);
    template <class T> __HGRD_G static T* map_shared_rank(T* address, int rank);
};
struct __warp_group : thread_group {
    __HGRD_G void sync() const;
    __HGRD_G unsigned size() const;
    __HGRD_G unsigned num_threads() const;
    __HGRD_G unsigned thread_rank() const;
    __HGRD_G unsigned meta_group_size() const;
    __HGRD_G unsigned meta_group_rank() const;
    template <class T> __HGRD_G T shfl(T value, int lane) const;
    template <class T> __HGRD_G T shfl_up(T value, unsigned delta) const;
    template <class T> __HGRD_G T shfl_down(T value, unsigned delta) const;
    template <class T> __HGRD_G T shfl_xor(T value, unsigned lanes) const;
    __HGRD_G int any(int predicate) const;
    __HGRD_G int all(int predicate) const;
    __HGRD_G unsigned ballot(int predicate) const;
    template <class T> __HGRD_G unsigned match_any(T value) const;
    template <class T> __HGRD_G unsigned match_all(T value, int& predicate) const;
};
struct coalesced_group : __warp_group {};
template <unsigned Size, class Parent = void> struct thread_block_tile : __warp_group {
    __HGRD_G thread_block_tile() = default;
    template <class Other> __HGRD_G thread_block_tile(const thread_block_tile<Size, Other>& tile);
};
template <unsigned Size> struct block_tile_memory {};

__HGRD_G thread_block this_thread_block();
template <unsigned Size> __HGRD_G thread_block this_thread_block(block_tile_memory<Size>& memory);
__HGRD_G grid_group this_grid();
__HGRD_G multi_grid_group this_multi_grid();
__HGRD_G cluster_group this_cluster();
__HGRD_G coalesced_group coalesced_threads();
template <unsigned Size, class Parent>
__HGRD_G thread_block_tile<Size, Parent> tiled_partition(const Parent& parent);
__HGRD_G thread_group tiled_partition(const thread_group& parent, unsigned size);
__HGRD_G coalesced_group tiled_partition(const coalesced_group& parent, unsigned size);
template <unsigned Size, class Parent>
__HGRD_G thread_block_tile<Size, Parent> experimental_tiled_partition(const Parent& parent);
template <class Group> __HGRD_G coalesced_group binary_partition(const Group& group, bool predicate);
template <class Group, class T> __HGRD_G coalesced_group labeled_partition(const Group& group, T label);
template <class Group> __HGRD_G void sync(const Group& group);
template <class Group> __HGRD_G void synchronize(const Group& group);  // its name before CUDA 9.0 was final
template <class Group> __HGRD_G unsigned thread_rank(const Group& group);
template <class Group> __HGRD_G unsigned group_size(const Group& group);
template <class Group> __HGRD_G bool __leads(const Group& group);  // of one thread of the group, whichever it is
template <class Group, class T> __HGRD_G T __of_leader(const Group& group, T value);
#define __HGRD_FUNCTOR(NAME) \
    template <class T = void> struct NAME { __HGRD_G T operator()(T left, T right) const; };
__HGRD_FUNCTOR(plus)
__HGRD_FUNCTOR(less)
__HGRD_FUNCTOR(greater)
__HGRD_FUNCTOR(bit_and)
__HGRD_FUNCTOR(bit_or)
__HGRD_FUNCTOR(bit_xor)
#undef __HGRD_FUNCTOR
template <class Group, class T, class F> __HGRD_G T reduce(const Group& group, T value, F&& function);
template <class Group, class T, class F> __HGRD_G T inclusive_scan(const Group& group, T value, F&& function);
template <class Group, class T> __HGRD_G T inclusive_scan(const Group& group, T value);
template <class Group, class T, class F> __HGRD_G T exclusive_scan(const Group& group, T value, F&& function);
template <class Group, class T> __HGRD_G T exclusive_scan(const Group& group, T value);
template <class Group, class T, class Shape>
__HGRD_G void memcpy_async(const Group& group, T* to, const T* from, const Shape& shape);
template <class Group, class T, class ToLayout, class FromLayout>
__HGRD_G void memcpy_async(const Group& group, T* to, const ToLayout& to_layout, const T* from,
                           const FromLayout& from_layout);
template <class Group> __HGRD_G void wait(const Group& group);
template <class Group> __HGRD_G void __wait_prior(const Group& group, unsigned batches);

namespace experimental {
using cooperative_groups::block_tile_memory;
using cooperative_groups::this_thread_block;
using cooperative_groups::tiled_partition;
using cooperative_groups::memcpy_async;
using cooperative_groups::wait;
}
#undef __HGRD_G
}
#if !defined(__HGRD_PRECOMPILED) || defined(__HGRD_BODIES)
#include "defined/cooperative_groups.h"
#endif
#endif
