// Vectors of doubles and of words of 32 bits, one element for each of some points, and what kernels compute with them.
// For GCC and Clang, whose vector extensions these are. What is fused is fused here and nowhere else, so that kernels give the
// same bits whatever the width; options that change the meaning of arithmetic (-ffast-math) are refused below.

#ifndef SINGE_VECTOR_H
#define SINGE_VECTOR_H

#if defined(__FAST_MATH__)
#error "-ffast-math and -Ofast make the values of these files wrong: compile them without"
#endif

#include <cstddef>
#include <cstdint>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__AVX__) && defined(__GNUC__) && __GNUC__ < 13 && !defined(__clang__) && !defined(__INTEL_COMPILER) && !defined(__NVCOMPILER)
// GCC takes longer to read <immintrin.h> than to compile most kernels, so these are its own names of the instructions; they were tried with GCC 11 and 12.
#define SINGE_FMA_8(a, b, c) __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, 4)
#define SINGE_FMA_4 __builtin_ia32_vfmaddpd256
#define SINGE_FMA_2 __builtin_ia32_vfmaddpd
#define SINGE_SQRT_8(a) __builtin_ia32_sqrtpd512_mask(a, a, -1, 4)
#define SINGE_SQRT_4 __builtin_ia32_sqrtpd256
#define SINGE_GATHER_8(table, index) __builtin_ia32_gatherdiv8df(real{}, table, same_bits<places>(index), -1, 8)
#define SINGE_GATHER_4(table, index) \
  __builtin_ia32_gatherdiv4df(real{}, table, same_bits<places>(index), __builtin_ia32_cmppd256(real{}, real{}, 0), 8)
#elif defined(__AVX__)
#include <immintrin.h>
#define SINGE_FMA_8 _mm512_fmadd_pd
#define SINGE_FMA_4 _mm256_fmadd_pd
#define SINGE_FMA_2 _mm_fmadd_pd
#define SINGE_SQRT_8(a) _mm512_mask_sqrt_pd(a, 0xff, a)
#define SINGE_SQRT_4 _mm256_sqrt_pd
#define SINGE_GATHER_8(table, index) _mm512_mask_i64gather_pd(real{}, 0xff, same_bits<__m512i>(index), table, 8)
#define SINGE_GATHER_4(table, index) _mm256_i64gather_pd(table, same_bits<__m256i>(index), 8)
#endif

// Points of a vector: as many as a register holds, or 1 where that is asked for.
#ifndef SINGE_WIDTH
#if defined(__AVX512F__)
#define SINGE_WIDTH 8
#elif defined(__AVX2__) && defined(__FMA__)
#define SINGE_WIDTH 4
#elif defined(__SSE2__) || defined(__aarch64__)
#define SINGE_WIDTH 2
#else
#define SINGE_WIDTH 1
#endif
#endif

namespace {

enum { width = SINGE_WIDTH };

// A word of 32 bits is the upper half of 64, whose lower half is 0: it wraps around and compares as it should, and the upper half
// of a double is one without a conversion.
const uint64_t upper = 0xffffffff00000000;

#if SINGE_WIDTH == 1
typedef double real;
typedef uint64_t word;
typedef int64_t signed_word;
typedef bool flag;
template <class To, class From> inline To converted(From x) { return static_cast<To>(x); }
#else
typedef double real __attribute__((vector_size(8 * SINGE_WIDTH)));
typedef uint64_t word __attribute__((vector_size(8 * SINGE_WIDTH)));
typedef int64_t signed_word __attribute__((vector_size(8 * SINGE_WIDTH)));
typedef signed_word flag;
typedef long long places __attribute__((vector_size(8 * SINGE_WIDTH)));
template <class To, class From> inline To converted(From x) { return __builtin_convertvector(x, To); }
#endif

// The same bits.
template <class To, class From> inline To same_bits(From x)
{
  static_assert(sizeof(To) == sizeof(From), "of one size");
  To y;
  __builtin_memcpy(&y, &x, sizeof y);
  return y;
}

// One number for all points. Less zero it is the same, and a vector.
inline real all(double x) { return x - real{}; }
inline word all_words(uint32_t x) { return ((uint64_t)x << 32) + word{}; }

inline real load(const double *from)
{
  real x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}

inline void store(double *to, real x) { __builtin_memcpy(to, &x, sizeof x); }

// a b + c, rounded once
inline real fma(real a, real b, real c)
{
#if SINGE_WIDTH == 8 && defined(__AVX512F__)
  return SINGE_FMA_8(a, b, c);
#elif SINGE_WIDTH == 4 && defined(__FMA__)
  return SINGE_FMA_4(a, b, c);
#elif SINGE_WIDTH == 2 && defined(__FMA__)
  return SINGE_FMA_2(a, b, c);
#elif SINGE_WIDTH == 2 && defined(__aarch64__)
  return vfmaq_f64(c, a, b);
#elif SINGE_WIDTH == 1
  return __builtin_fma(a, b, c);
#else
  real x = a;
  for (int i = 0; i < width; ++i) x[i] = __builtin_fma(a[i], b[i], c[i]);
  return x;
#endif
}

inline real square_root(real a)
{
#if SINGE_WIDTH == 8 && defined(__AVX512F__)
  return SINGE_SQRT_8(a);
#elif SINGE_WIDTH == 4 && defined(__AVX__)
  return SINGE_SQRT_4(a);
#elif SINGE_WIDTH == 1
  return __builtin_sqrt(a);
#else
  real x = a;
  for (int i = 0; i < width; ++i) x[i] = __builtin_sqrt(a[i]);
  return x;
#endif
}

// A product that no compiler fuses with a sum: it does not see that this is one.
inline real separate_product(real a, real b)
{
  real product = a * b;
#if defined(__AVX512F__)
  asm("" : "+v"(product));
#elif defined(__x86_64__)
  asm("" : "+x"(product));
#elif defined(__aarch64__)
  asm("" : "+w"(product));
#else
  asm("" : "+m"(product));
#endif
  return product;
}

// a <= b ? then : otherwise
inline real select_le(real a, real b, real then, real otherwise) { return a <= b ? then : otherwise; }

inline word high_word(real x) { return same_bits<word>(x) & upper; }
inline word low_word(real x) { return same_bits<word>(x) << 32; }
inline real join(word high, word low) { return same_bits<real>(high | low >> 32); }
inline real from_signed(word a) { return converted<real>((signed_word)a >> 32); }

inline word inverse(word a) { return a ^ upper; }
inline word right(word a, int bits) { return a >> bits & upper; }
inline word right_signed(word a, int bits) { return (word)((signed_word)a >> bits) & upper; }

inline flag below(word a, word b) { return a < b; }
inline flag below_signed(word a, word b) { return (signed_word)a < (signed_word)b; }

inline real choose(flag which, real a, real b) { return which ? a : b; }
inline word choose_word(flag which, word a, word b) { return which ? a : b; }

// Of each point, the entry of a table.
inline real looked_up(const double *table, word index)
{
#if SINGE_WIDTH == 8 && defined(__AVX512F__)
  return SINGE_GATHER_8(table, index >> 32);
#elif SINGE_WIDTH == 4 && defined(__AVX2__)
  return SINGE_GATHER_4(table, index >> 32);
#elif SINGE_WIDTH == 1
  return table[index >> 32];
#else
  real x{};
  for (int i = 0; i < width; ++i) x[i] = table[index[i] >> 32];
  return x;
#endif
}

// Copies rows of the last points, which do not fill a vector; the last of them stands for those that are missing.
inline void fill(double *to, const double *from, int rows, int points, ptrdiff_t stride)
{
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < width; ++i) to[row * width + i] = from[row * stride + (i < points ? i : points - 1)];
  }
}

// Copies what was made of them back.
inline void give_back(const double *from, double *to, int rows, int points, ptrdiff_t stride)
{
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < points; ++i) to[row * stride + i] = from[row * width + i];
  }
}

} // namespace

#endif
