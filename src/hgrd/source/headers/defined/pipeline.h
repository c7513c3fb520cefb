// Functions of pipelines that do what their bodies say.
#if !defined(__HGRD_PRECOMPILING) && !defined(__HGRD_BODIES_OF_PIPELINES)
#define __HGRD_BODIES_OF_PIPELINES 1
namespace cuda {
template <unsigned char Prior, thread_scope Scope>
__HGRD_DEVICE void pipeline_consumer_wait_prior(pipeline<Scope>& pipeline) {
    __pipeline_wait_prior_of(&pipeline, Prior);
}
}
#endif
