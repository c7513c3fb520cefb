"""Members of instances of class templates: their types and constants, whatever name the instance is given."""

from tests.checking import verdicts

SOURCE = """
template <class T> struct Base { using item = T; static constexpr int Width = sizeof(T); };
template <int N, bool Even, class T> struct Traits : Base<T> {
    static constexpr int Items = N;
    using Row = Traits<N, Even, char>;
};

// safe: 1 of 1 pairs
template <class K> __global__ void apart(float *p) {
    typename K::item own[K::Items] = {};
    for (int i = 0; i < K::Items; ++i) own[i] = i;
    typename K::item *at = p + threadIdx.x * K::Items;
    for (int i = 0; i < K::Items; ++i) at[i] = own[i];
}

// race: write bytes, write bytes; global; warp block
template <class K> __global__ void narrower(float *p) {
    typename K::Row::item *at = (typename K::Row::item *)p + threadIdx.x * K::Items;
    for (int i = 0; i < K::Items + K::Row::Width; ++i) at[i] = threadIdx.x;  // bytes
}

enum Kind { SMALL, LARGE = 4 };
enum class Mode { OFF, ON };
template <class T, Kind K, Mode M> struct Tile {
    T part[K];
    int after[16];
};

// note: write fill, write fill; shared; warp block
// race: read tail, write head; shared; warp block
template <class T> __global__ void tile(float *p) {
    __shared__ T t;
    t.part[threadIdx.x % 4] = 1;  // fill
    __syncthreads();
    p[threadIdx.x] = t.part[4 + threadIdx.x % 16];  // tail
    if (threadIdx.x < 16) t.after[threadIdx.x] = 1;  // head
}

int main() {
    float *p;
    cudaMalloc(&p, 4096);
    using K = Traits<4, true, float>;
    apart<K><<<1, 64>>>(p);
    narrower<K><<<1, 64>>>(p);
    tile<Tile<float, LARGE, Mode::ON>><<<1, 64>>>(p);
}
"""

test_members_of_instances = verdicts(SOURCE)
