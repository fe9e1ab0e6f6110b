/* Runs packs of kernels on the GPU at hand and writes what it took as JSON. Needs a C compiler and NVIDIA's driver:
 *
 *   cc -O2 -o runner runner.c -ldl
 *   ./runner RESULTS.json PACK...
 *
 * A pack is a folder with machine code and plan.txt; packs for other architectures are passed over. SINGE_LIBCUDA names another library
 * than libcuda.so.1. Exit codes: 0 measured, 1 usage or an unreadable pack, 2 no device or an error of the driver. */

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5, OUTPUT_BYTES = 512 + 8 * 1024, NAME = 256 };
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
      for (int first = 1; fgets(line, sizeof line, plan); first = 0) sample(&device, argv[at], line, json, first ? "" : ",");
      fprintf(json, "\n  ]}");
    }
    fclose(plan);
  }
  fprintf(json, "\n  ]\n}\n");
  if (fclose(json)) stop(1, argv[1], "cannot be written");
  if (!packs) stop(1, name, "no pack has code for it");
  return 0;
}
