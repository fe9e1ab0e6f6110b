// Runs one version of a kernel after the other in the first iterations and settles on the one that takes least time
// (Orion, section 3.4). A Device loads and runs versions; singe_occupancy::Cuda is one where cuda.h was included before.
namespace singe_occupancy {

// Walks the versions, which are ordered by occupancy, from the original into the predicted direction while the time does not
// grow, into the other one if the first step was worse. Of the versions that take no longer than the best one it takes the lowest.
class Settling {
public:
    Settling(int count, int original, bool increasing)
        : count_(count), original_(original), at_(original), next_(original), up_(increasing) {}

    bool settled() const { return settled_; }

    // The version to run now: the one to be timed next, or the chosen one.
    int version() const { return next_; }

    // Tells how long that version took for one iteration, all of them for the same work.
    void took(double time) {
        if (settled_) return;
        times_[next_] = time;
        timed_[next_] = true;
        const bool worse = tried_ > 0 && time > best_ * (1 + tolerance);
        if (tried_ == 0 || time < best_) best_ = time;
        ++tried_;
        if (!worse) at_ = next_;
        int following = at_ + (up_ ? 1 : -1);
        if (worse || following < 0 || following >= count_) {
            if (at_ != original_ || turned_) return settle();
            turned_ = true;
            up_ = !up_;
            following = original_ + (up_ ? 1 : -1);
            if (following < 0 || following >= count_) return settle();
        }
        next_ = following;
    }

    // Iterations that were timed.
    int tried() const { return tried_; }

private:
    static constexpr double tolerance = 0.01;
    static constexpr int most = 64;

    void settle() {
        settled_ = true;
        for (next_ = 0; !(timed_[next_] && times_[next_] <= best_ * (1 + tolerance)); ++next_) {}
    }

    int count_, original_, at_, next_;
    bool up_, turned_ = false, settled_ = false;
    int tried_ = 0;
    double best_ = 0;
    double times_[most] = {};
    bool timed_[most] = {};
};

// A kernel that adapts. Device must have
//   double run(const Version &version, unsigned first, unsigned ctas, unsigned all, Arguments... arguments)
// which runs CTAs first ... first + ctas - 1 of all in x and tells how long that took.
template <class Device>
class Adaptive {
public:
    explicit Adaptive(Device &device) : device_(device), settling_(count, original, increasing) {}

    // One iteration of the application: the whole grid.
    template <class... Arguments>
    void iterate(unsigned ctas, const Arguments &...arguments) {
        settling_.took(device_.run(version(), 0, ctas, ctas, arguments...));
    }

    // The application launches once: the grid in parts of so many CTAs, which play the iterations, and the rest at once.
    template <class... Arguments>
    void once(unsigned ctas, unsigned part, const Arguments &...arguments) {
        unsigned first = 0;
        while (first < ctas) {
            unsigned left = ctas - first;
            unsigned now = settling_.settled() || left < 2 * part ? left : part;
            double time = device_.run(version(), first, now, ctas, arguments...);
            settling_.took(time / now);
            first += now;
        }
    }

    const Version &version() const { return versions[settling_.version()]; }
    const Settling &settling() const { return settling_; }

private:
    Device &device_;
    Settling settling_;
};

#ifdef CUDA_VERSION
// Versions through the driver, which assembles their PTX when they are first run; the current context is used.
class Cuda {
public:
    Cuda(unsigned threads_x, unsigned threads_y = 1, unsigned threads_z = 1) : threads_{threads_x, threads_y, threads_z} {}

    template <class... Arguments>
    double run(const Version &version, unsigned first, unsigned ctas, unsigned all, const Arguments &...arguments) {
        CUfunction &function = functions_[&version - versions];
        if (!function && !load(version, function)) return 0;
        void *values[] = {const_cast<void *>(static_cast<const void *>(&arguments))..., &first, &all};
        CUevent begin, end;
        float milliseconds = 0;
        check(cuEventCreate(&begin, CU_EVENT_DEFAULT));
        check(cuEventCreate(&end, CU_EVENT_DEFAULT));
        check(cuEventRecord(begin, 0));
        check(cuLaunchKernel(function, ctas, 1, 1, threads_[0], threads_[1], threads_[2], version.launch_shared, 0, values, 0));
        check(cuEventRecord(end, 0));
        check(cuEventSynchronize(end));
        check(cuEventElapsedTime(&milliseconds, begin, end));
        cuEventDestroy(begin);
        cuEventDestroy(end);
        return milliseconds;
    }

    // The first error that the driver reported.
    CUresult status() const { return status_; }

private:
    bool load(const Version &version, CUfunction &function) {
        CUmodule module;
        check(cuModuleLoadData(&module, version.ptx));
        if (status_ == CUDA_SUCCESS) check(cuModuleGetFunction(&function, module, version.kernel));
        if (status_ == CUDA_SUCCESS && version.launch_shared > 0)
            check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, version.launch_shared));
        return status_ == CUDA_SUCCESS;
    }

    void check(CUresult result) {
        if (status_ == CUDA_SUCCESS) status_ = result;
    }

    unsigned threads_[3];
    CUfunction functions_[count] = {};
    CUresult status_ = CUDA_SUCCESS;
};
#endif

} // namespace singe_occupancy
