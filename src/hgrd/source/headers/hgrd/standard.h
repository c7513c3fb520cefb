// cuda::std is the standard library as far as we are concerned.
#pragma once
#include "prelude.h"
#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
namespace cuda {
namespace std {
using namespace ::std;
#if __cplusplus < 202002L
struct identity { template <class T> __HGRD_BOTH constexpr T&& operator()(T&& value) const noexcept { return static_cast<T&&>(value); } };
#endif
}
}
