// Kernels with the operations and the launches of fifteen that were measured on a Quadro GV100 (whole.rs). Each is written from what the
// original does, element by element, so that loads, arithmetic, divergence and barriers are the same.

extern "C" {

// Two layers of a neural network, 16 hidden units, 16 x 16 threads: products with the weights, added up along a column.
__global__ void layer_forward(const float *units, float *weights, float *sums) {
    __shared__ float unit[16];
    __shared__ float product[16][16];
    const int column = threadIdx.x, row = threadIdx.y;
    const int place = 17 * (16 * blockIdx.y + row + 1) + column + 1;
    if (column == 0) unit[row] = units[16 * blockIdx.y + row + 1];
    __syncthreads();
    product[row][column] = weights[place];
    __syncthreads();
    product[row][column] *= unit[row];
    __syncthreads();
    for (int level = 1; level <= __log2f(16); level++) {
        const int step = __powf(2, level);
        if (row % step == 0) product[row][column] += product[row + step / 2][column];
        __syncthreads();
    }
    weights[place] = product[row][column];
    __syncthreads();
    if (column == 0) sums[16 * blockIdx.y + row] = product[column][row];
}

// The same network: weights move by their gradient and by their last change.
__global__ void adjust_weights(const float *delta, const float *layer, float *weights, float *last) {
    const int place = 17 * (16 * blockIdx.y + threadIdx.y + 1) + threadIdx.x + 1;
    const int unit = 16 * blockIdx.y + threadIdx.y + 1, hidden = threadIdx.x + 1;
    weights[place] += 0.3f * delta[hidden] * layer[unit] + 0.3f * last[place];
    last[place] = 0.3f * delta[hidden] * layer[unit] + 0.3f * last[place];
    __syncthreads();
    if (threadIdx.y == 0 && blockIdx.y == 0) {
        weights[hidden] += 0.3f * delta[hidden] + 0.3f * last[hidden];
        last[hidden] = 0.3f * delta[hidden] + 0.3f * last[hidden];
    }
}

// Heat in a chip: steps of a five-point stencil on tiles of 16 x 16 that overlap, with factors in double precision.
__global__ void heat(int steps, const float *power, const float *from, float *to, int columns, int rows, float capacity, float rx,
                     float ry, float rz, float step) {
    __shared__ float now[16][16], heating[16][16], next[16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    const float share = step / capacity, along_x = 1 / rx, along_y = 1 / ry, along_z = 1 / rz, ambient = 80.0f;
    const int tile = 16 - 2 * steps;
    // the tiles of the first row begin outside: rows from the second on
    const int top = tile * (blockIdx.y + 1) - steps, left = tile * blockIdx.x - steps;
    const int bottom = top + 15, right = left + 15;
    const int row = top + y, column = left + x, place = columns * row + column;
    if (row >= 0 && row <= rows - 1 && column >= 0 && column <= columns - 1) {
        now[y][x] = from[place];
        heating[y][x] = power[place];
    }
    __syncthreads();
    const int least_y = top < 0 ? -top : 0, most_y = bottom > rows - 1 ? 15 - (bottom - rows + 1) : 15;
    const int least_x = left < 0 ? -left : 0, most_x = right > columns - 1 ? 15 - (right - columns + 1) : 15;
    const int north = max(y - 1, least_y), south = min(y + 1, most_y), west = max(x - 1, least_x), east = min(x + 1, most_x);
    bool done = false;
    for (int turn = 0; turn < steps; turn++) {
        done = false;
        if (x >= turn + 1 && x <= 14 - turn && y >= turn + 1 && y <= 14 - turn && x >= least_x && x <= most_x && y >= least_y &&
            y <= most_y) {
            done = true;
            next[y][x] = now[y][x] + share * (heating[y][x] + (now[south][x] + now[north][x] - 2.0 * now[y][x]) * along_y +
                                              (now[y][east] + now[y][west] - 2.0 * now[y][x]) * along_x +
                                              (ambient - now[y][x]) * along_z);
        }
        __syncthreads();
        if (turn == steps - 1) break;
        if (done) now[y][x] = next[y][x];
        __syncthreads();
    }
    if (done) to[place] = next[y][x];
}

// Diffusion that spares edges in an image: four differences through tables of neighbours, and a coefficient between 0 and 1.
__global__ void edges(int rows, long size, const int *above, const int *below, const int *after, const int *before, float *north,
                      float *south, float *east, float *west, float variance, float *coefficient, const float *image) {
    const int place = blockIdx.x * 512 + threadIdx.x;
    int row = (place + 1) % rows - 1, column = (place + 1) / rows;
    if ((place + 1) % rows == 0) {
        row = rows - 1;
        column = column - 1;
    }
    if (place < size) {
        const float own = image[place];
        const float n = image[above[row] + rows * column] - own, s = image[below[row] + rows * column] - own;
        const float w = image[row + rows * before[column]] - own, e = image[row + rows * after[column]] - own;
        const float gradient = (n * n + s * s + w * w + e * e) / (own * own);
        const float laplacian = (n + s + w + e) / own;
        const float above_line = 0.5 * gradient - (1.0 / 16.0) * (laplacian * laplacian);
        float below_line = 1 + 0.25 * laplacian;
        const float scale = above_line / (below_line * below_line);
        below_line = (scale - variance) / (variance * (1 + variance));
        float c = 1.0 / (1.0 + below_line);
        if (c < 0) c = 0;
        else if (c > 1) c = 1;
        north[place] = n;
        south[place] = s;
        west[place] = w;
        east[place] = e;
        coefficient[place] = c;
    }
}

// A product of matrices, the second transposed: 16 x 8 threads, each with 16 sums of a row.
__global__ void product_nt(const float *a, int lda, const float *b, int ldb, float *c, int ldc, int depth, float alpha, float beta) {
    __shared__ float part[8][16];
    float sums[16];
    for (int at = 0; at < 16; at++) sums[at] = 0.0f;
    const int m = blockIdx.x * 128 + threadIdx.y * 16 + threadIdx.x, n = blockIdx.y * 16 + threadIdx.x;
    for (int from = 0; from < depth; from += 8) {
        part[threadIdx.y][threadIdx.x] = b[n + (from + threadIdx.y) * ldb];
        __syncthreads();
        for (int at = 0; at < 8; at++) {
            const float factor = a[m + (from + at) * lda];
            for (int column = 0; column < 16; column++) sums[column] += factor * part[at][column];
        }
        __syncthreads();
    }
    const int first = ldc * blockIdx.y * 16 + m;
    for (int at = 0; at < 16; at++) c[first + at * ldc] = c[first + at * ldc] * beta + alpha * sums[at];
}

// A Fourier sum over 1,024 samples in constant memory, two in a turn.
__constant__ float4 samples[1024] = {{0.5f, 0.25f, 0.125f, 1.0f}};
__global__ void fourier(int count, int first, const float *xs, const float *ys, const float *zs, float *real, float *imaginary) {
    const int place = blockIdx.x * 256 + threadIdx.x;
    const float x = xs[place], y = ys[place], z = zs[place];
    float r = real[place], i = imaginary[place];
    int at = 0;
    if (count % 2) {
        const float angle = 6.2831853071795864769252867665590058f * (samples[0].x * x + samples[0].y * y + samples[0].z * z);
        r += samples[0].w * __cosf(angle);
        i += samples[0].w * __sinf(angle);
        at++;
        first++;
    }
    for (; at < 1024 && first < count; at += 2, first += 2) {
        const float angle = 6.2831853071795864769252867665590058f * (samples[at].x * x + samples[at].y * y + samples[at].z * z);
        r += samples[at].w * __cosf(angle);
        i += samples[at].w * __sinf(angle);
        const float other =
            6.2831853071795864769252867665590058f * (samples[at + 1].x * x + samples[at + 1].y * y + samples[at + 1].z * z);
        r += samples[at + 1].w * __cosf(other);
        i += samples[at + 1].w * __sinf(other);
    }
    real[place] = r;
    imaginary[place] = i;
}

// The price of an option on a tree of 2,048 steps: 128 threads with 16 leaves each, whose neighbour's first goes through shared memory.
__global__ void binomial(float *price, float spot, float strike, float move, float up, float down) {
    __shared__ float first[129];
    const int own = threadIdx.x;
    float values[17];
#pragma unroll
    for (int at = 0; at < 16; at++) values[at] = fmaxf(spot * __expf(move * (2.0f * (own * 16 + at) - 2048)) - strike, 0.0f);
    if (own == 0) first[128] = fmaxf(spot * __expf(move * 2048.0f) - strike, 0.0f);
    const int last = max(0, own * 16 - 1);
#pragma unroll 16
    for (int step = 2048; step > 0; step--) {
        first[own] = values[0];
        __syncthreads();
        values[16] = first[own + 1];
        __syncthreads();
        if (step > last) {
#pragma unroll
            for (int at = 0; at < 16; at++) values[at] = up * values[at + 1] + down * values[at];
        }
    }
    if (own == 0) price[blockIdx.x] = values[0];
}

// A Walsh transform in steps of radix 4 between lines that are far from each other.
__global__ void walsh_far(float *to, const float *from, int stride) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x, low = at & (stride - 1);
    const int first = ((at - low) << 2) + low;
    const float a = from[first], b = from[first + stride], c = from[first + 2 * stride], d = from[first + 3 * stride];
    const float ac = a + c, a_c = a - c, bd = b + d, b_d = b - d;
    to[first] = ac + bd;
    to[first + stride] = ac - bd;
    to[first + 2 * stride] = a_c + b_d;
    to[first + 3 * stride] = a_c - b_d;
}

// The same for lines of 2^log2 that fit shared memory, with a step of radix 2 at the end of an odd power.
__global__ void walsh_near(float *to, const float *from, int log2) {
    extern __shared__ float line[];
    const int length = 1 << log2, base = blockIdx.x << log2;
    for (int at = threadIdx.x; at < length; at += blockDim.x) line[at] = from[base + at];
    for (int stride = length >> 2; stride > 0; stride >>= 2) {
        const int low = threadIdx.x & (stride - 1), first = ((threadIdx.x - low) << 2) + low;
        __syncthreads();
        const float a = line[first], b = line[first + stride], c = line[first + 2 * stride], d = line[first + 3 * stride];
        const float ac = a + c, a_c = a - c, bd = b + d, b_d = b - d;
        line[first] = ac + bd;
        line[first + stride] = ac - bd;
        line[first + 2 * stride] = a_c + b_d;
        line[first + 3 * stride] = a_c - b_d;
    }
    if (log2 & 1) {
        __syncthreads();
        for (int at = threadIdx.x; at < length / 2; at += blockDim.x) {
            const float a = line[2 * at], b = line[2 * at + 1];
            line[2 * at] = a + b;
            line[2 * at + 1] = a - b;
        }
    }
    __syncthreads();
    for (int at = threadIdx.x; at < length; at += blockDim.x) to[base + at] = line[at];
}

// A cosine transform of eight values that stand a step from each other.
__device__ void cosines(float *v, int step) {
    const float a = 1.387039845322148f, b = 1.306562964876377f, c = 1.175875602419359f, d = 0.785694958387102f,
                e = 0.541196100146197f, f = 0.275899379282943f, norm = 0.3535533905932737f;
    const float p07 = v[0] + v[7 * step], p16 = v[step] + v[6 * step], p25 = v[2 * step] + v[5 * step], p34 = v[3 * step] + v[4 * step];
    const float m07 = v[0] - v[7 * step], m61 = v[6 * step] - v[step], m25 = v[2 * step] - v[5 * step], m43 = v[4 * step] - v[3 * step];
    const float outer = p07 + p34, outer_m = p07 - p34, inner = p16 + p25, inner_m = p16 - p25;
    v[0] = norm * (outer + inner);
    v[2 * step] = norm * (b * outer_m + e * inner_m);
    v[4 * step] = norm * (outer - inner);
    v[6 * step] = norm * (e * outer_m - b * inner_m);
    v[step] = norm * (a * m07 - c * m61 + d * m25 - f * m43);
    v[3 * step] = norm * (c * m07 + f * m61 - a * m25 + d * m43);
    v[5 * step] = norm * (d * m07 + a * m61 + f * m25 - c * m43);
    v[7 * step] = norm * (f * m07 + d * m61 + c * m25 + a * m43);
}

// The transform of an image in squares of 8 x 8: tiles of 32 x 16, 8 x 4 x 2 threads.
__global__ void cosine_squares(float *to, const float *from, int stride) {
    __shared__ float tile[16 * 33];
    const int along = threadIdx.y * 8 + threadIdx.x, down = threadIdx.z * 8;
    const int place = (blockIdx.y * 16 + down) * stride + blockIdx.x * 32 + along;
    float *own = tile + down * 33 + along;
#pragma unroll
    for (int at = 0; at < 8; at++) own[at * 33] = from[place + at * stride];
    __syncthreads();
    cosines(tile + (down + threadIdx.x) * 33 + along - threadIdx.x, 1);
    __syncthreads();
    cosines(own, 33);
    __syncthreads();
    for (int at = 0; at < 8; at++) to[place + at * stride] = own[at * 33];
}

// The inverse of the cumulative normal distribution of numbers that a thread makes itself (Moro's approximation).
__global__ void inverse_normal(float *to, unsigned int count) {
    const unsigned int distance = 0xffffffffu / (count + 1), all = blockDim.x * gridDim.x;
    for (unsigned int at = blockDim.x * blockIdx.x + threadIdx.x; at < count; at += all) {
        unsigned int x = (at + 1) * distance;
        bool mirrored = false;
        if (x >= 0x80000000u) {
            x = 0xffffffffu - x;
            mirrored = true;
        }
        const float unit = 1.0f / (float)0xffffffffu, p = x * unit + unit / 2.0f, q = p - 0.5f;
        float z;
        if (q > -0.42f) {
            z = q * q;
            z = q * (((-25.44106049637f * z + 41.39119773534f) * z + -18.61500062529f) * z + 2.50662823884f) /
                ((((3.13082909833f * z + -21.06224101826f) * z + 23.08336743743f) * z + -8.4735109309f) * z + 1.0f);
        } else {
            z = __logf(-__logf(p));
            z = -(0.337475482272615f +
                  z * (0.976169019091719f +
                       z * (0.160797971491821f +
                            z * (2.76438810333863e-02f +
                                 z * (3.8405729373609e-03f +
                                      z * (3.951896511919e-04f +
                                           z * (3.21767881768e-05f + z * (2.888167364e-07f + z * 3.960315187e-07f))))))));
        }
        to[at] = mirrored ? -z : z;
    }
}

// A histogram of 64 kinds: each of 64 threads counts in bytes of its own, and they are added up at the end.
__device__ void count(unsigned char *own, unsigned int word) {
    own[((word >> 2) & 63) * 64]++;
    own[((word >> 10) & 63) * 64]++;
    own[((word >> 18) & 63) * 64]++;
    own[((word >> 26) & 63) * 64]++;
}

__global__ void kinds(unsigned int *to, const uint4 *from, unsigned int size) {
    __shared__ unsigned char counts[64 * 64];
    const unsigned int own = threadIdx.x, place = (own & ~63u) | (own & 15) << 2 | (own & 48) >> 4;
#pragma unroll
    for (int at = 0; at < 16; at++) ((unsigned int *)counts)[own + at * 64] = 0;
    __syncthreads();
    for (unsigned int at = blockIdx.x * blockDim.x + own; at < size; at += blockDim.x * gridDim.x) {
        const uint4 words = from[at];
        count(counts + place, words.x);
        count(counts + place, words.y);
        count(counts + place, words.z);
        count(counts + place, words.w);
    }
    __syncthreads();
    if (own < 64) {
        const unsigned char *line = counts + own * 64;
        unsigned int sum = 0, at = 4 * (own & 15);
#pragma unroll
        for (int turn = 0; turn < 16; turn++) {
            sum += line[at] + line[at + 1] + line[at + 2] + line[at + 3];
            at = (at + 4) & 63;
        }
        to[blockIdx.x * 64 + own] = sum;
    }
}

}

// How many of the first `length` numbers come before a value: those that are less, or also those that are equal.
template <bool EQUAL> __device__ unsigned int before(unsigned int value, const unsigned int *sorted, unsigned int length, unsigned int stride) {
    if (length == 0) return 0;
    unsigned int at = 0;
    for (; stride > 0; stride >>= 1) {
        const unsigned int next = min(at + stride, length);
        if (EQUAL ? sorted[next - 1] <= value : sorted[next - 1] < value) at = next;
    }
    return at;
}

// A merge sort of 1,024 pairs by 512 threads: each element finds its place in the other run.
extern "C" __global__ void merge_sort(unsigned int *keys, unsigned int *values, const unsigned int *old_keys,
                                      const unsigned int *old_values, unsigned int length) {
    __shared__ unsigned int key[1024], value[1024];
    const unsigned int own = threadIdx.x, place = blockIdx.x * 1024 + own;
    key[own] = old_keys[place];
    value[own] = old_values[place];
    key[own + 512] = old_keys[place + 512];
    value[own + 512] = old_values[place + 512];
    for (unsigned int stride = 1; stride < length; stride <<= 1) {
        const unsigned int at = own & (stride - 1);
        unsigned int *run = key + 2 * (own - at), *with = value + 2 * (own - at);
        __syncthreads();
        const unsigned int a = run[at], a_value = with[at], b = run[at + stride], b_value = with[at + stride];
        const unsigned int a_at = before<false>(a, run + stride, stride, stride) + at;
        const unsigned int b_at = before<true>(b, run, stride, stride) + at;
        __syncthreads();
        run[a_at] = a;
        with[a_at] = a_value;
        run[b_at] = b;
        with[b_at] = b_value;
    }
    __syncthreads();
    keys[place] = key[own];
    values[place] = value[own];
    keys[place + 512] = key[own + 512];
    values[place + 512] = value[own + 512];
}

extern "C" {

// Sobol numbers of some dimensions: each CTA has a part of the vectors of one, in steps of a power of two. Only every so many of the CTAs of a
// dimension are there.
__global__ void low_discrepancy(int count, int stride, int apart, const unsigned int *directions, float *to) {
    __shared__ unsigned int v[32];
    directions += 32 * blockIdx.y;
    to += count * blockIdx.y;
    if (threadIdx.x < 32) v[threadIdx.x] = directions[threadIdx.x];
    __syncthreads();
    const int first = threadIdx.x + apart * blockIdx.x * blockDim.x;
    unsigned int gray = first ^ first >> 1, x = 0;
    for (unsigned int bit = 0; bit < __ffs(stride) - 1; bit++) {
        x ^= -(gray & 1) & v[bit];
        gray >>= 1;
    }
    const float unit = 2.3283064e-10f;
    if (first < count) to[first] = (float)x * unit;
    const unsigned int last = v[__ffs(stride) - 2], below = stride - 1;
    for (unsigned int at = first + stride; at < count; at += stride) {
        x ^= last ^ v[__ffs(~((at - stride) | below)) - 1];
        to[at] = (float)x * unit;
    }
}

// Niederreiter numbers of three dimensions, one for each y of the threads: 31 words of constant memory are added up by the bits of the place.
__constant__ unsigned int table[3][31] = {{1, 2, 4, 8}, {3, 5, 9, 17}, {7, 11, 13, 19}};
__global__ void niederreiter(float *to, unsigned int first, unsigned int count, unsigned int stride) {
    const unsigned int *own = table[threadIdx.y];
    for (unsigned int at = blockDim.x * blockIdx.x + threadIdx.x; at < count; at += stride) {
        unsigned int sum = 0, bits = first + at;
        for (int bit = 0; bit < 31; bit++, bits >>= 1)
            if (bits & 1) sum ^= own[bit];
        to[count * threadIdx.y + at] = (float)(sum + 1) * (1.0f / (float)0x80000001u);
    }
}
}
