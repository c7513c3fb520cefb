template <class F> __global__ void each(F f, int n) {
    if (threadIdx.x < n) f(threadIdx.x);
}
struct Owner {
    int *data;
    void run(int k) {
        int local = 3;
        auto set = [=, twice = 2 * k] __device__(int i) { data[i] = local + twice; };
        each<<<k, 64>>>(set, k);
        auto bump = [&](int i) { local += i; };
        bump(4);
    }
};
int main() { Owner o; o.run(2); }
