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
}
}
