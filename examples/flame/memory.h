// Arrays and reactors on a CPU, and on GPUs of NVIDIA or AMD (-DFLAME_CUDA, -DFLAME_HIP), where host and device share memory.

#ifndef FLAME_MEMORY_H
#define FLAME_MEMORY_H

#include <new>

#if defined(FLAME_CUDA)
#include <cuda_runtime.h>
#define DEVICE(name) cuda##name
#elif defined(FLAME_HIP)
#include <hip/hip_runtime.h>
#define DEVICE(name) hip##name
#endif

#ifdef DEVICE
inline void require(bool is_right)
{
  if (!is_right) throw std::bad_alloc();
}
inline void wait_for_device() { require(DEVICE(DeviceSynchronize)() == 0); }
inline void choose_device(int rank)
{
  int devices = 0;
  require(DEVICE(GetDeviceCount)(&devices) == 0 && devices > 0);
  require(DEVICE(SetDevice)(rank % devices) == 0);
}
#else
inline void wait_for_device() {}
inline void choose_device(int) {}
#endif

// Numbers that kernels and host both reach, 0 at first.
class Array {
public:
  explicit Array(size_t count) : count_(count)
  {
#ifdef DEVICE
    require(DEVICE(MallocManaged)((void **)&data_, count * sizeof(double)) == 0);
#else
    data_ = new double[count];
#endif
    std::fill_n(data_, count, 0.0);
  }
  ~Array()
  {
#ifdef DEVICE
    (void)DEVICE(Free)(data_);
#else
    delete[] data_;
#endif
  }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  double *data() { return data_; }
  const double *data() const { return data_; }
  double &operator[](size_t i) { return data_[i]; }
  double operator[](size_t i) const { return data_[i]; }

private:
  double *data_ = nullptr;
  size_t count_;
};

// What reactors on a GPU need beside their arrays.
class Workspace {
public:
  Workspace(const h2::context &context, int points) : bytes_(needed(context, points)), memory_(bytes_ / sizeof(double) + 1) {}
  void *data() { return memory_.data(); }

private:
  static size_t needed(const h2::context &context, int points)
  {
    size_t bytes = 0;
    h2::check(h2_reactor_workspace(context.get(), points, &bytes));
    return bytes;
  }

  size_t bytes_;
  Array memory_;
};

// Advances all points by their own steps, in place.
inline void react(const h2::context &context, double *temperature, const double *pressure, double *y, const double *step, int points, int stride,
  double tolerance, Workspace &workspace)
{
  h2_reactor_options options = h2::reactor_options();
  options.relative_tolerance = tolerance;
  options.absolute_tolerance = 1e-6 * tolerance;
  h2::advance(context, temperature, pressure, y, step, temperature, y, points, stride, h2_reactor_results(), options, h2_reactor_sources(),
    workspace.data());
#ifdef DEVICE
  wait_for_device();
#endif
}

#endif
