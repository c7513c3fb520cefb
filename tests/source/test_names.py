"""Names that link files."""

from hgrd.source.text.names import names_in


def test_functions_that_others_can_call_are_offered():
    names = names_in(b"""
        namespace a { inline namespace b {
        template <typename T = int> __global__ void __launch_bounds__(256, 2) kernel(T *p, int n = f(3)) { p[0] = 1; }
        }}
        extern "C" { int c_function() { return 0; } }
        static void own() {}
        inline int short_one() { return 1; }
        __device__ int on_device() { return 1; }
        __host__ __device__ int on_both() { return 1; }
        class Thing : public Base<int> { void inside() { g(); } void outside(int); };
        void Thing::outside(int) {}
        Thing::Thing(int x) : x_(x), y_(x + 1) {}
        int table[] = {1, 2};
        int main() { return 0; }
        // void remark() {}
    """)
    assert names.offered == {b"kernel", b"c_function", b"on_both", b"Thing::outside", b"Thing::Thing"}
    assert names.defined - names.offered == {b"own", b"short_one", b"on_device", b"inside", b"main"}


def test_what_is_only_declared_is_not_used():
    text = b"""
        #define LAUNCH(x) in_macro<<<1, 2>>>(x)
        __global__ void kernel(int *a);
        template <class T = int> T *made(T (*f)(int), int n = 3);
        class Thing { public: Thing(); void member(int); };
        namespace n { void declared_here(void); }
        int value = computed(1);
        void user() { if (value) { called(passed); kernel2<<<1, 2>>>(); } }
        const char *c = "quoted";  // remarked
    """
    names = {b"in_macro", b"kernel", b"made", b"Thing", b"member", b"declared_here", b"computed", b"called", b"passed"}
    assert (names | {b"kernel2", b"quoted", b"remarked"}) & names_in(text).used == {
        b"in_macro",
        b"computed",
        b"called",
        b"passed",
        b"kernel2",
    }


def test_a_name_that_is_declared_and_used_is_used():
    assert b"f" in names_in(b"void f(int);\nvoid g() { f(1); }\n").used
    assert b"f" not in names_in(b"void f(int);\nvoid f(int) {}\n").used
