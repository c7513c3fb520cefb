struct Matrix {
    float *data;
    int width = 16, height;
    __host__ __device__ Matrix(float *d, int h) : data(d), height(h) {}
    Matrix(int n) : Matrix(new float[n], n / 16) {}
    __device__ float &at(int row, int col) { return data[row * width + col]; }
    __device__ float operator()(int i) const { return data[i]; }
    __device__ operator int() const { return height; }
    __device__ Matrix &operator+=(float v) { data[0] += v; return *this; }
    static __device__ int twice(int n) { return 2 * n; }
};
__device__ void swap(float &a, float &b) { float t = a; a = b; b = t; }
__global__ void use(Matrix m, float *out) {
    m.at(1, threadIdx.x) = m(2);
    (m += 1.0f).height = m;
    swap(out[0], m.at(0, Matrix::twice(3)));
    Matrix copy = m, other(out, 3);
    float &r = out[4];
    r = copy.data[0];
    const float &fixed = 2.5f;
    out[5] = fixed;
}
