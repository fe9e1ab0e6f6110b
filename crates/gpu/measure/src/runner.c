/* Runs packs of kernels on the GPU at hand and writes what it took as JSON. Needs a C compiler and NVIDIA's driver:
 *
 *   cc -O2 -o runner runner.c -ldl -lm
 *   ./runner RESULTS.json PACK...
 *
 * A pack is a folder with machine code and plan.txt; packs for other architectures are passed over. SINGE_LIBCUDA names another library
 * than libcuda.so.1. Exit codes: 0 measured, 1 usage or an unreadable pack, 2 no device or an error of the driver. */

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5, TIMED = 11, MOST_ARRAYS = 8, MOST_ARGUMENTS = 64, OUTPUT_BYTES = 512 + 8 * 1024, NAME = 256 };
/* Of CUdevice_attribute. */
enum { MULTIPROCESSORS = 16, CLOCK_KHZ = 13, MEMORY_KHZ = 36, BUS_BITS = 37, L2_BYTES = 38, MAJOR = 75, MINOR = 76 };

typedef uint64_t pointer;
typedef void *handle;

static struct {
  int (*init)(unsigned), (*driver)(int *), (*device)(int *, int), (*name)(char *, int, int), (*attribute)(int *, int, int);
  int (*context)(handle *, unsigned, int), (*load)(handle *, const char *), (*unload)(handle), (*function)(handle *, handle, const char *);
  int (*allocate)(pointer *, size_t), (*release)(pointer), (*to_device)(pointer, const void *, size_t);
  int (*to_host)(void *, pointer, size_t), (*set)(pointer, unsigned char, size_t), (*synchronize)(void);
  int (*launch)(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **);
  int (*limit)(handle, int, int), (*resident)(int *, handle, int, size_t);
  int (*event)(handle *, unsigned), (*record)(handle, handle), (*wait)(handle), (*elapsed)(float *, handle, handle);
} cuda;

static void stop(int code, const char *what, const char *why)
{
  fprintf(stderr, "%s: %s\n", what, why);
  exit(code);
}

static void check(int error, const char *what)
{
  char text[32];
  snprintf(text, sizeof text, "CUDA error %d", error);
  if (error) stop(2, what, text);
}

static void find(handle library, const char *name, void *to)
{
  void *found = dlsym(library, name);
  if (!found) stop(2, name, "the driver lacks it");
  memcpy(to, &found, sizeof found);
}

static void load_driver(void)
{
  const char *name = getenv("SINGE_LIBCUDA");
  handle library = dlopen(name ? name : "libcuda.so.1", RTLD_NOW);
  if (!library) stop(2, "no CUDA device", dlerror());
  find(library, "cuInit", &cuda.init);
  find(library, "cuDriverGetVersion", &cuda.driver);
  find(library, "cuDeviceGet", &cuda.device);
  find(library, "cuDeviceGetName", &cuda.name);
  find(library, "cuDeviceGetAttribute", &cuda.attribute);
  find(library, "cuCtxCreate_v2", &cuda.context);
  find(library, "cuModuleLoad", &cuda.load);
  find(library, "cuModuleUnload", &cuda.unload);
  find(library, "cuModuleGetFunction", &cuda.function);
  find(library, "cuMemAlloc_v2", &cuda.allocate);
  find(library, "cuMemFree_v2", &cuda.release);
  find(library, "cuMemcpyHtoD_v2", &cuda.to_device);
  find(library, "cuMemcpyDtoH_v2", &cuda.to_host);
  find(library, "cuMemsetD8_v2", &cuda.set);
  find(library, "cuCtxSynchronize", &cuda.synchronize);
  find(library, "cuLaunchKernel", &cuda.launch);
  find(library, "cuFuncSetAttribute", &cuda.limit);
  find(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor", &cuda.resident);
  find(library, "cuEventCreate", &cuda.event);
  find(library, "cuEventRecord", &cuda.record);
  find(library, "cuEventSynchronize", &cuda.wait);
  find(library, "cuEventElapsedTime", &cuda.elapsed);
  check(cuda.init(0), "no CUDA device");
}

static int attribute(int which, int device)
{
  int value = 0;
  check(cuda.attribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

/* The word behind " KEY=" of a line; empty where there is none. */
static const char *word(const char *line, const char *key)
{
  static char found[4][NAME];
  static int turn;
  char wanted[64];
  snprintf(wanted, sizeof wanted, " %s=", key);
  char *to = found[turn = (turn + 1) % 4];
  const char *at = strstr(line, wanted);
  size_t length = at ? strcspn(at + strlen(wanted), " \n") : 0;
  if (length >= NAME) stop(1, line, "a word is too long");
  if (at) memcpy(to, at + strlen(wanted), length);
  to[length] = 0;
  return to;
}

static uint64_t number(const char *line, const char *key)
{
  return strtoull(word(line, key), NULL, 10);
}

/* Pointers, each to the one `stride` bytes behind it, the last to the first. */
static void fill(pointer at, uint64_t bytes, uint64_t stride)
{
  uint64_t *words = malloc(bytes);
  if (!words) stop(2, "memory", "there is not enough");
  for (uint64_t i = 0; i < bytes / 8; ++i) words[i] = at + (stride ? (8 * i + stride) % bytes : 0);
  check(cuda.to_device(at, words, bytes), "cuMemcpyHtoD");
  free(words);
}

struct device {
  int number, l2_bytes;
  pointer output, cold;
  size_t cold_bytes;
  handle begin, end;
};

struct took {
  double clocks, nanoseconds;
};

/* One launch: clocks from the first warp's beginning to the last one's end. */
static struct took once(const struct device *device, handle function, int threads, pointer data, unsigned rounds)
{
  static unsigned char bytes[OUTPUT_BYTES];
  pointer output = device->output;
  void *arguments[] = { &output, &data, &rounds };
  float milliseconds = 0.0f;
  check(cuda.record(device->begin, NULL), "cuEventRecord");
  check(cuda.launch(function, 1, 1, 1, (unsigned)threads, 1, 1, 0, NULL, arguments, NULL), "cuLaunchKernel");
  check(cuda.record(device->end, NULL), "cuEventRecord");
  check(cuda.wait(device->end), "cuEventSynchronize");
  check(cuda.elapsed(&milliseconds, device->begin, device->end), "cuEventElapsedTime");
  check(cuda.to_host(bytes, device->output, sizeof bytes), "cuMemcpyDtoH");
  uint64_t first = UINT64_MAX, last = 0;
  for (int warp = 0; warp < (threads + 31) / 32; ++warp) {
    uint64_t clocks[2];
    memcpy(clocks, bytes + 16 * warp, sizeof clocks);
    if (clocks[0] < first) first = clocks[0];
    if (clocks[1] > last) last = clocks[1];
  }
  return (struct took){ (double)(last - first), 1e6 * milliseconds };
}

/* The least of several launches, after one that counts for nothing. */
static struct took least(const struct device *device, handle function, const char *line, pointer data, unsigned rounds)
{
  struct took best = { 0.0, 0.0 };
  for (int turn = 0; turn <= REPEATS; ++turn) {
    if (number(line, "cold")) check(cuda.set(device->cold, (unsigned char)turn, device->cold_bytes), "cuMemsetD8");
    struct took took = once(device, function, (int)number(line, "threads"), data, rounds);
    if (turn <= 1 || took.clocks < best.clocks) best.clocks = took.clocks;
    if (turn <= 1 || took.nanoseconds < best.nanoseconds) best.nanoseconds = took.nanoseconds;
  }
  return best;
}

static void sample(const struct device *device, const char *pack, const char *line, FILE *json, const char *comma)
{
  char path[2 * NAME];
  handle module, function;
  uint64_t bytes = number(line, "bytes");
  pointer data;
  unsigned rounds[2] = { (unsigned)number(line, "few"), (unsigned)number(line, "many") };
  struct took took[2];
  snprintf(path, sizeof path, "%s/%s", pack, word(line, "module"));
  check(cuda.load(&module, path), path);
  check(cuda.function(&function, module, word(line, "entry")), word(line, "entry"));
  check(cuda.allocate(&data, bytes < 8 ? 8 : bytes), "cuMemAlloc");
  if (bytes) fill(data, bytes, number(line, "stride"));
  for (int i = 0; i < 2; ++i) took[i] = least(device, function, line, data, rounds[i]);
  fprintf(json, "%s\n    {\"series\": \"%s\", \"length\": %s, \"rounds\": [%u, %u], \"clocks\": [%.0f, %.0f], \"nanoseconds\": [%.0f, %.0f], ",
          comma, word(line, "series"), word(line, "length"), rounds[0], rounds[1], took[0].clocks, took[1].clocks,
          took[0].nanoseconds, took[1].nanoseconds);
  fprintf(json, "\"modelled\": [%s, %s]}", word(line, "model_few"), word(line, "model_many"));
  check(cuda.release(data), "cuMemFree");
  check(cuda.unload(module), "cuModuleUnload");
}

/* So many bytes of a file of the pack. */
static void *contents(const char *pack, const char *name, size_t bytes)
{
  char path[2 * NAME];
  void *values = malloc(bytes ? bytes : 1);
  snprintf(path, sizeof path, "%s/%s", pack, name);
  FILE *file = fopen(path, "rb");
  if (!values || !file || fread(values, 1, bytes, file) != bytes) stop(1, path, "cannot be read");
  fclose(file);
  return values;
}

static double *doubles(const char *pack, const char *name, size_t count)
{
  return contents(pack, name, count * sizeof(double));
}

/* An array of rows whose states repeat over all points. */
static pointer tiled(const double *of_states, size_t rows, size_t states, size_t points)
{
  pointer at;
  double *values = malloc(rows * points * sizeof *values);
  if (!values) stop(2, "memory", "there is not enough");
  for (size_t row = 0; row < rows; ++row)
    for (size_t point = 0; point < points; ++point) values[row * points + point] = of_states[row * states + point % states];
  check(cuda.allocate(&at, rows * points * sizeof *values), "cuMemAlloc");
  check(cuda.to_device(at, values, rows * points * sizeof *values), "cuMemcpyHtoD");
  free(values);
  return at;
}

/* The largest error of the first states relative to their scale; infinite where an output is no number. */
static double error_of(const double *found, const double *expected, const double *scale, size_t rows, size_t states, size_t points)
{
  double worst = 0.0;
  for (size_t row = 0; row < rows; ++row)
    for (size_t state = 0; state < states; ++state) {
      size_t at = row * states + state;
      double value = found[row * points + state], error = value == expected[at] ? 0.0 : fabs((value - expected[at]) / scale[at]);
      if (isnan(error)) return INFINITY;
      if (error > worst) worst = error;
    }
  return worst;
}

/* Outputs that differ by a bit from those of the same state before. */
static size_t different(const double *found, size_t rows, size_t states, size_t points)
{
  size_t count = 0;
  for (size_t row = 0; row < rows; ++row)
    for (size_t point = states; point < points; ++point)
      count += memcmp(found + row * points + point, found + row * points + point % states, sizeof *found) != 0;
  return count;
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The middle of the times of some launches. */
static double middle(double took[TIMED])
{
  qsort(took, TIMED, sizeof *took, ascending);
  return took[TIMED / 2];
}

/* The median of some launches in microseconds, as many CTAs as the device holds at once; two launches before count for nothing. */
static double median(const struct device *device, handle function, const char *line, void **arguments, int points)
{
  int threads = (int)number(line, "threads"), shared = (int)number(line, "shared"), group = (int)number(line, "group");
  int per_cta = (int)number(line, "per_cta"), resident = 0;
  double took[TIMED];
  if (shared) check(cuda.limit(function, 8, shared), "cuFuncSetAttribute");
  check(cuda.resident(&resident, function, threads, (size_t)shared), "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  int most = resident * attribute(MULTIPROCESSORS, device->number), needed = ((points + group - 1) / group + per_cta - 1) / per_cta;
  for (int turn = -2; turn < TIMED; ++turn) {
    float milliseconds = 0.0f;
    check(cuda.record(device->begin, NULL), "cuEventRecord");
    check(cuda.launch(function, (unsigned)(needed < most ? needed : most), 1, 1, (unsigned)threads, 1, 1, (unsigned)shared, NULL,
                      arguments, NULL), "cuLaunchKernel");
    check(cuda.record(device->end, NULL), "cuEventRecord");
    check(cuda.wait(device->end), "cuEventSynchronize");
    check(cuda.elapsed(&milliseconds, device->begin, device->end), "cuEventElapsedTime");
    if (turn >= 0) took[turn] = 1e3 * milliseconds;
  }
  return middle(took);
}

static void kernel(const struct device *device, const char *pack, const char *line, FILE *json, const char *comma)
{
  char path[2 * NAME], inputs[NAME];
  handle module, function;
  size_t states = number(line, "states"), rows = number(line, "rows");
  int points = (int)number(line, "points"), arrays = 0;
  pointer held[MOST_ARRAYS];
  void *arguments[MOST_ARRAYS + 2];
  snprintf(path, sizeof path, "%s/%s", pack, word(line, "module"));
  check(cuda.load(&module, path), path);
  check(cuda.function(&function, module, word(line, "entry")), word(line, "entry"));
  snprintf(inputs, sizeof inputs, "%s", word(line, "inputs"));
  for (char *part = strtok(inputs, ","); part; part = strtok(NULL, ",")) {
    char *colon = strchr(part, ':');
    if (!colon || arrays + 1 >= MOST_ARRAYS) stop(1, line, "its inputs cannot be read");
    *colon = 0;
    size_t of = strtoull(colon + 1, NULL, 10);
    double *values = doubles(pack, part, of * states);
    held[arrays++] = tiled(values, of, states, (size_t)points);
    free(values);
  }
  size_t bytes = rows * (size_t)points * sizeof(double);
  check(cuda.allocate(&held[arrays], bytes), "cuMemAlloc");
  check(cuda.set(held[arrays++], 0xff, bytes), "cuMemsetD8");
  for (int i = 0; i < arrays; ++i) arguments[i] = &held[i];
  arguments[arrays] = arguments[arrays + 1] = &points;
  double microseconds = median(device, function, line, arguments, points);
  double *found = malloc(bytes), *expected = doubles(pack, word(line, "expected"), rows * states);
  double *scale = doubles(pack, word(line, "scale"), rows * states);
  if (!found) stop(2, "memory", "there is not enough");
  check(cuda.to_host(found, held[arrays - 1], bytes), "cuMemcpyDtoH");
  double error = error_of(found, expected, scale, rows, states, (size_t)points);
  fprintf(json, "%s\n    {\"mechanism\": \"%s\", \"kernel\": \"%s\", \"code\": \"%s\", \"points\": %d, \"microseconds\": %.4f, ", comma,
          word(line, "mechanism"), word(line, "kernel"), word(line, "code"), points, microseconds);
  fprintf(json, "\"predicted\": %s, \"error\": %.17g, \"allowed\": %s, \"different\": %zu}", word(line, "predicted"),
          isinf(error) ? 1e308 : error, word(line, "tolerance"), different(found, rows, states, (size_t)points));
  free(found), free(expected), free(scale);
  for (int i = 0; i < arrays; ++i) check(cuda.release(held[i]), "cuMemFree");
  check(cuda.unload(module), "cuModuleUnload");
}

/* What starting a kernel takes, each behind the one before; what the device memory delivers to one that reads one array and writes another; and
 * by how much four CTAs of an SM hold each other up whose first warps alone work: four times where these are on one sub-partition. */
static void board(const struct device *device, const char *pack, const char *line, FILE *json, const char *comma)
{
  enum { LAUNCHES = 1000, THREADS = 256 };
  const size_t bytes = (size_t)1 << 28;
  char path[2 * NAME];
  handle module, nothing, halve, places;
  pointer from, to;
  unsigned count = (unsigned)(bytes / sizeof(double)), rounds = 20000;
  void *arguments[] = { &from, &to, &count };
  int resident = 0;
  float milliseconds = 0.0f;
  double took[TIMED];
  snprintf(path, sizeof path, "%s/%s", pack, word(line, "module"));
  check(cuda.load(&module, path), path);
  check(cuda.function(&nothing, module, word(line, "nothing")), word(line, "nothing"));
  for (int turn = 0; turn < LAUNCHES + 10; ++turn) { /* ten to warm up */
    if (turn == 10) check(cuda.record(device->begin, NULL), "cuEventRecord");
    check(cuda.launch(nothing, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), "cuLaunchKernel");
  }
  check(cuda.record(device->end, NULL), "cuEventRecord");
  check(cuda.wait(device->end), "cuEventSynchronize");
  check(cuda.elapsed(&milliseconds, device->begin, device->end), "cuEventElapsedTime");
  fprintf(json, "%s\n    {\"launch_nanoseconds\": %.1f, ", comma, 1e6 * milliseconds / LAUNCHES);
  check(cuda.function(&halve, module, word(line, "halve")), word(line, "halve"));
  check(cuda.resident(&resident, halve, THREADS, 0), "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  check(cuda.allocate(&from, bytes), "cuMemAlloc");
  check(cuda.allocate(&to, bytes), "cuMemAlloc");
  unsigned ctas = (unsigned)(resident * attribute(MULTIPROCESSORS, device->number));
  for (int turn = -2; turn < TIMED; ++turn) {
    check(cuda.record(device->begin, NULL), "cuEventRecord");
    check(cuda.launch(halve, ctas, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL), "cuLaunchKernel");
    check(cuda.record(device->end, NULL), "cuEventRecord");
    check(cuda.wait(device->end), "cuEventSynchronize");
    check(cuda.elapsed(&milliseconds, device->begin, device->end), "cuEventElapsedTime");
    if (turn >= 0) took[turn] = milliseconds;
  }
  fprintf(json, "\"gigabytes_per_second\": %.2f, ", 2.0 * (double)bytes / middle(took) * 1e-6);
  check(cuda.function(&places, module, word(line, "places")), word(line, "places"));
  double alone = 0.0;
  for (unsigned each = 1; each <= 4; each += 3) { /* CTAs of an SM */
    void *worked[] = { &to, &rounds };
    for (int turn = -2; turn < TIMED; ++turn) {
      check(cuda.record(device->begin, NULL), "cuEventRecord");
      check(cuda.launch(places, each * (unsigned)attribute(MULTIPROCESSORS, device->number), 1, 1, 128, 1, 1, 0, NULL, worked, NULL), "cuLaunchKernel");
      check(cuda.record(device->end, NULL), "cuEventRecord");
      check(cuda.wait(device->end), "cuEventSynchronize");
      check(cuda.elapsed(&milliseconds, device->begin, device->end), "cuEventElapsedTime");
      if (turn >= 0) took[turn] = milliseconds;
    }
    if (each == 1) alone = middle(took);
  }
  fprintf(json, "\"four_ctas_over_one\": %.3f}", middle(took) / alone);
  check(cuda.release(from), "cuMemFree");
  check(cuda.release(to), "cuMemFree");
  check(cuda.unload(module), "cuModuleUnload");
}

/* A parameter of the next launch: a number, or an array with what it holds before, and after where the kernel writes it. */
struct argument {
  unsigned char number[8];
  pointer at;
  size_t bytes, width;
  int is_real;
  void *before, *after;
};

static struct argument held[MOST_ARGUMENTS];
static int arguments_held;

static void argument(const struct device *device, const char *pack, const char *line, FILE *json, const char *comma)
{
  (void)device, (void)json, (void)comma;
  if (arguments_held == MOST_ARGUMENTS) stop(1, line, "a launch has too many arguments");
  struct argument *new = &held[arguments_held++];
  *new = (struct argument){ 0 };
  const char *digits = word(line, "number");
  for (int i = 0; i < 8 && digits[2 * i]; ++i) {
    char pair[3] = { digits[2 * i], digits[2 * i + 1], 0 };
    new->number[i] = (unsigned char)strtoul(pair, NULL, 16);
  }
  if (!*word(line, "before")) return;
  new->bytes = number(line, "bytes");
  new->before = contents(pack, word(line, "before"), new->bytes);
  if (*word(line, "after")) new->after = contents(pack, word(line, "after"), new->bytes);
  new->width = number(line, "width");
  new->is_real = !strcmp(word(line, "kind"), "real");
  check(cuda.allocate(&new->at, new->bytes ? new->bytes : 1), "cuMemAlloc");
  check(cuda.to_device(new->at, new->before, new->bytes), "cuMemcpyHtoD");
}

static double real(const void *values, size_t at, size_t width)
{
  double wide = 0.0;
  float narrow = 0.0f;
  if (width == sizeof wide) return memcpy(&wide, (const double *)values + at, sizeof wide), wide;
  return memcpy(&narrow, (const float *)values + at, sizeof narrow), narrow;
}

/* What differs from the simulator's results: elements in all, by a bit, by more than rounding, and the largest error relative to the largest number. */
struct differences {
  size_t elements, different, wrong;
  double error;
};

static void compare(const struct argument *of, struct differences *sum)
{
  size_t count = of->width ? of->bytes / of->width : 0;
  unsigned char *found = malloc(of->bytes ? of->bytes : 1);
  double largest = 0.0, allowed = of->width == 8 ? 1e-12 : 1e-5;
  if (!found) stop(2, "memory", "there is not enough");
  check(cuda.to_host(found, of->at, of->bytes), "cuMemcpyDtoH");
  for (size_t i = 0; i < count && of->is_real; ++i) {
    double value = fabs(real(of->after, i, of->width));
    if (isfinite(value) && value > largest) largest = value;
  }
  sum->elements += count;
  for (size_t i = 0; i < count; ++i) {
    if (!memcmp(found + i * of->width, (const unsigned char *)of->after + i * of->width, of->width)) continue;
    ++sum->different;
    if (!of->is_real) { ++sum->wrong; continue; }
    double error = fabs(real(found, i, of->width) - real(of->after, i, of->width)) / largest;
    if (!isfinite(error)) error = 1e308;
    if (error > sum->error) sum->error = error;
    sum->wrong += error > allowed;
  }
  free(found);
}

/* Every launch begins with the arrays as they are given, and no cache holds them. The first one is compared. */
static void launch(const struct device *device, const char *pack, const char *line, FILE *json, const char *comma)
{
  char path[2 * NAME];
  handle module, function;
  void *parameters[MOST_ARGUMENTS];
  unsigned shared = (unsigned)number(line, "shared"), grid[3], cta[3];
  const char *axes[] = { "x", "y", "z", "tx", "ty", "tz" };
  double took[TIMED];
  struct differences sum = { 0 };
  snprintf(path, sizeof path, "%s/%s", pack, word(line, "module"));
  check(cuda.load(&module, path), path);
  check(cuda.function(&function, module, word(line, "entry")), word(line, "entry"));
  if (shared) check(cuda.limit(function, 8, (int)shared), "cuFuncSetAttribute");
  for (int i = 0; i < 3; ++i) grid[i] = (unsigned)number(line, axes[i]), cta[i] = (unsigned)number(line, axes[3 + i]);
  for (int i = 0; i < arguments_held; ++i) parameters[i] = held[i].before ? (void *)&held[i].at : (void *)held[i].number;
  for (int turn = -2; turn < TIMED; ++turn) {
    float milliseconds = 0.0f;
    for (int i = 0; i < arguments_held; ++i) if (held[i].after) check(cuda.to_device(held[i].at, held[i].before, held[i].bytes), "cuMemcpyHtoD");
    check(cuda.set(device->cold, (unsigned char)turn, device->cold_bytes), "cuMemsetD8");
    check(cuda.record(device->begin, NULL), "cuEventRecord");
    check(cuda.launch(function, grid[0], grid[1], grid[2], cta[0], cta[1], cta[2], shared, NULL, parameters, NULL), "cuLaunchKernel");
    check(cuda.record(device->end, NULL), "cuEventRecord");
    check(cuda.wait(device->end), "cuEventSynchronize");
    check(cuda.elapsed(&milliseconds, device->begin, device->end), "cuEventElapsedTime");
    if (turn >= 0) took[turn] = 1e3 * milliseconds;
    for (int i = 0; i < arguments_held && turn == -2; ++i) if (held[i].after) compare(&held[i], &sum);
  }
  fprintf(json, "%s\n    {\"launch\": \"%s\", \"kernel\": \"%s\", \"ctas\": [%u, %u, %u], \"threads\": [%u, %u, %u], ", comma,
          word(line, "name"), word(line, "entry"), grid[0], grid[1], grid[2], cta[0], cta[1], cta[2]);
  fprintf(json, "\"microseconds\": %.4f, \"predicted\": %s, \"elements\": %zu, \"different\": %zu, \"wrong\": %zu, \"error\": %.17g}",
          middle(took), word(line, "predicted"), sum.elements, sum.different, sum.wrong, sum.error);
  for (int i = 0; i < arguments_held; ++i) {
    if (held[i].before) check(cuda.release(held[i].at), "cuMemFree");
    free(held[i].before), free(held[i].after);
  }
  arguments_held = 0;
  check(cuda.unload(module), "cuModuleUnload");
}

/* Runs the lines of a plan that begin with a word; "argument " goes with "launch ". */
static void lines(const struct device *device, const char *pack, FILE *plan, const char *with, FILE *json,
                  void (*run)(const struct device *, const char *, const char *, FILE *, const char *))
{
  char line[4 * NAME];
  int first = 1;
  rewind(plan);
  while (fgets(line, sizeof line, plan)) {
    if (run == launch && !strncmp(line, "argument ", 9)) argument(device, pack, line, json, "");
    if (strncmp(line, with, strlen(with))) continue;
    run(device, pack, line, json, first ? "" : ",");
    first = 0;
  }
}

static const char *target(const char *pack, const struct device *device, FILE **plan, char *line, size_t size)
{
  char path[2 * NAME];
  snprintf(path, sizeof path, "%s/plan.txt", pack);
  *plan = fopen(path, "r");
  if (!*plan || !fgets(line, (int)size, *plan)) stop(1, path, "cannot be read");
  int fits = (int)number(line, "major") == attribute(MAJOR, device->number) && (int)number(line, "minor") <= attribute(MINOR, device->number);
  return fits ? word(line, "target") : NULL;
}

int main(int argc, char **argv)
{
  if (argc < 3) stop(1, "usage", "runner RESULTS.json PACK...");
  load_driver();
  struct device device = { 0 };
  char name[NAME] = "", line[4 * NAME];
  int version = 0, packs = 0;
  handle context;
  check(cuda.device(&device.number, 0), "no CUDA device");
  check(cuda.name(name, sizeof name, device.number), "cuDeviceGetName");
  check(cuda.driver(&version), "cuDriverGetVersion");
  check(cuda.context(&context, 0, device.number), "cuCtxCreate");
  check(cuda.allocate(&device.output, OUTPUT_BYTES), "cuMemAlloc");
  device.cold_bytes = 2 * (size_t)attribute(L2_BYTES, device.number) + (1 << 20);
  check(cuda.allocate(&device.cold, device.cold_bytes), "cuMemAlloc");
  check(cuda.event(&device.begin, 0), "cuEventCreate");
  check(cuda.event(&device.end, 0), "cuEventCreate");
  FILE *json = fopen(argv[1], "w");
  if (!json) stop(1, argv[1], "cannot be written");
  for (char *c = name; *c; ++c) if (*c == '"' || *c == '\\') *c = '\'';
  fprintf(json, "{\n  \"device\": {\"name\": \"%s\", \"compute_capability\": [%d, %d], \"multiprocessors\": %d, \"clock_khz\": %d,\n"
          "    \"memory_khz\": %d, \"bus_bits\": %d, \"l2_bytes\": %d, \"driver\": %d},\n  \"packs\": [", name,
          attribute(MAJOR, device.number), attribute(MINOR, device.number), attribute(MULTIPROCESSORS, device.number),
          attribute(CLOCK_KHZ, device.number), attribute(MEMORY_KHZ, device.number), attribute(BUS_BITS, device.number),
          attribute(L2_BYTES, device.number), version);
  for (int at = 2; at < argc; ++at) {
    FILE *plan;
    const char *of = target(argv[at], &device, &plan, line, sizeof line);
    if (of) {
      fprintf(json, "%s\n  {\"target\": \"%s\", \"samples\": [", packs++ ? "," : "", of);
      lines(&device, argv[at], plan, "sample ", json, sample);
      fprintf(json, "], \"kernels\": [");
      lines(&device, argv[at], plan, "kernel ", json, kernel);
      fprintf(json, "], \"boards\": [");
      lines(&device, argv[at], plan, "board ", json, board);
      fprintf(json, "], \"launches\": [");
      lines(&device, argv[at], plan, "launch ", json, launch);
      fprintf(json, "]}");
    }
    fclose(plan);
  }
  fprintf(json, "\n  ]\n}\n");
  if (fclose(json)) stop(1, argv[1], "cannot be written");
  if (!packs) stop(1, name, "no pack has code for it");
  return 0;
}
