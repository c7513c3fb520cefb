struct Base { char tag; };
struct Empty {};
struct Vec : Empty { float x; double y; };
struct alignas(32) Wide : Base, Vec { unsigned low : 3, high : 6; short tail; };
union Either { int i; double d; char raw[12]; };
typedef struct { int key; union { float f; int *p; }; } Node;
struct Poly { virtual int area() const { return side; } int side; };
template <class T, int N> struct Buffer { T data[N]; int used; struct Link { T *next; } link; };

__global__ void touch(Wide *w, Either e, Node *nodes, Buffer<short, 5> *b, Poly *poly) {
    w->y = w->tag;
    w->high = 3;
    e.raw[2] = nodes[threadIdx.x].key;
    nodes->p[1] = nodes[1].f;
    b[1].data[b->used] = *b->link.next;
    Node copy = nodes[2];
    nodes[3] = copy;
    poly->side = poly->area();
    e = {7};
    int4 v = make_int4(1, 2, 3, 4);
    v.z += sizeof(Wide) + alignof(Either);
}
