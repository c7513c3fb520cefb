typedef unsigned char byte;
__device__ volatile int flag;
__constant__ float table[16];
const int WIDTH = 4 * 8;

__global__ void widths(byte *bytes, long long *wide, int n, unsigned u, short s, float f, double d) {
    bytes[n] = u;
    bytes[0] += s;
    wide[u + 1] = n * WIDTH;
    wide[1] = (long long)n << 3;
    d = f * 2 + n;
    n = -n + ~s + !u;
    n = s++ + --n;
    bool b = n < u && (s > 1 || f != 0);
    n = b ? WIDTH : n % 3;
    f += table[threadIdx.x & 15];
    while (flag) n >>= 1;
}

__global__ void pointers(int *p, int (*rows)[8], float4 *v, int n) {
    int *q = p + n;
    q -= 2;
    *q++ = rows[n][3];
    long gap = q - p;
    v[n].y = (float)gap;
    float *flat = reinterpret_cast<float *>(v);
    2[flat] = v->w;
    (n > 0 ? p[0] : p[1]) = 5;
    p[0] = p[1] = 7;
    if (p == q || !p) p = nullptr;
}
