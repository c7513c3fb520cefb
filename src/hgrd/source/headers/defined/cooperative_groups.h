// Functions of cooperative groups that do what their bodies say.  They are read like functions of a program, and so are
// in no precompiled header: they follow it, or cooperative_groups.h where it is not precompiled.
#define __HGRD_BODIES 1
#if defined(_COOPERATIVE_GROUPS_H_) && !defined(__HGRD_BODIES_OF_GROUPS)
#define __HGRD_BODIES_OF_GROUPS 1
namespace cooperative_groups {
#define __HGRD_G __HGRD_DEVICE
template <class Group, class F> __HGRD_G void invoke_one(const Group& group, F&& function) {
    if (__leads(group)) function();
}
template <class Group, class F> __HGRD_G auto invoke_one_broadcast(const Group& group, F&& function)
    -> decltype(function()) {
    decltype(function()) result{};
    if (__leads(group)) result = function();
    return __of_leader(group, result);
}
#define __HGRD_UPDATE(FUNCTOR, METHOD) \
    template <class Atomic, class V, class T> __HGRD_G auto __update(Atomic& to, V value, const FUNCTOR<T>&) { \
        return to.METHOD(value, ::std::memory_order_relaxed); \
    }
__HGRD_UPDATE(plus, fetch_add)
__HGRD_UPDATE(less, fetch_min)
__HGRD_UPDATE(greater, fetch_max)
__HGRD_UPDATE(bit_and, fetch_and)
__HGRD_UPDATE(bit_or, fetch_or)
__HGRD_UPDATE(bit_xor, fetch_xor)
#undef __HGRD_UPDATE
template <class Group, class Atomic, class T, class F>
__HGRD_G void reduce_update_async(const Group& group, Atomic& to, T value, F&& function) {
    auto sum = reduce(group, value, function);
    if (__leads(group)) __update(to, sum, function);
}
template <class Group, class Atomic, class T, class F>
__HGRD_G void reduce_store_async(const Group& group, Atomic& to, T value, F&& function) {
    auto sum = reduce(group, value, function);
    if (__leads(group)) to.store(sum, ::std::memory_order_relaxed);
}
template <class Group, class Atomic, class T, class F>
__HGRD_G auto inclusive_scan_update(const Group& group, Atomic& to, T value, F&& function) {
    auto sum = reduce(group, value, function);
    decltype(sum) before{};
    if (__leads(group)) before = __update(to, sum, function);
    return __of_leader(group, before) + inclusive_scan(group, value, function);
}
template <class Group, class Atomic, class T, class F>
__HGRD_G auto exclusive_scan_update(const Group& group, Atomic& to, T value, F&& function) {
    auto sum = reduce(group, value, function);
    decltype(sum) before{};
    if (__leads(group)) before = __update(to, sum, function);
    return __of_leader(group, before) + exclusive_scan(group, value, function);
}
template <unsigned Stages, class Group> __HGRD_G void wait_prior(const Group& group) {
    __wait_prior(group, Stages);
}
namespace experimental {
using cooperative_groups::wait_prior;
}
#undef __HGRD_G
}
#endif
