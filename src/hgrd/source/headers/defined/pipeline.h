// Pipelines: their functions do what their bodies say.
#if !defined(__HGRD_PRECOMPILING) && !defined(__HGRD_BODIES_OF_PIPELINES)
#define __HGRD_BODIES_OF_PIPELINES 1
namespace cuda {
enum class pipeline_role { producer, consumer };
template <thread_scope Scope, unsigned char Stages> struct pipeline_shared_state {
    unsigned long long __arrivals[2 * Stages];  // commits, and behind them releases, by stage
    pipeline_shared_state() = default;
};
template <thread_scope Scope> struct pipeline {
    void* __state;
    int __stages;
    int __commits;
    int __releases;
    __HGRD_DEVICE void producer_acquire() { __pipeline_acquire(__state, __stages, &__commits); }
    __HGRD_DEVICE void producer_commit() { __pipeline_commit_stage(__state, __stages, &__commits); }
    __HGRD_DEVICE void consumer_wait() { __pipeline_wait_stage(__state, __stages, &__releases); }
    template <class Duration> __HGRD_DEVICE bool consumer_wait_for(const Duration& duration);
    __HGRD_DEVICE void consumer_release() { __pipeline_release(__state, __stages, &__releases); }
    __HGRD_DEVICE bool quit();
};
template <> struct pipeline<thread_scope_thread> {
    __HGRD_DEVICE void producer_acquire() {}
    __HGRD_DEVICE void producer_commit() { __pipeline_commit_of(this); }
    __HGRD_DEVICE void consumer_wait() { __pipeline_wait_oldest_of(this); }
    template <class Duration> __HGRD_DEVICE bool consumer_wait_for(const Duration& duration);
    __HGRD_DEVICE void consumer_release() {}
    __HGRD_DEVICE bool quit();
};
inline __HGRD_DEVICE pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <class Group, thread_scope Scope, unsigned char Stages>
__HGRD_DEVICE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state) {
    __pipeline_make(state, Stages, group.size(), 3);
    group.sync();
    return {state, Stages, 0, 0};
}
template <class Group, thread_scope Scope, unsigned char Stages>
__HGRD_DEVICE pipeline<Scope>
make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state, pipeline_role role) {
    __pipeline_make(state, Stages, group.size(), role == pipeline_role::producer ? 1 : 2);
    group.sync();
    return {state, Stages, 0, 0};
}
template <class Group, thread_scope Scope, unsigned char Stages>
__HGRD_DEVICE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state, size_t producers);
template <unsigned char Prior, thread_scope Scope>
__HGRD_DEVICE void pipeline_consumer_wait_prior(pipeline<Scope>& pipeline) {
    __pipeline_wait_prior_of(&pipeline, Prior);
}
template <thread_scope Scope>
__HGRD_DEVICE void pipeline_producer_commit(pipeline<thread_scope_thread>& pipeline, barrier<Scope>& barrier);
}
#endif
