#include "runtime/workers.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace pullback {
namespace {

// For so long a thread polls for work before it sleeps: to wake it takes longer than a small job.
constexpr std::chrono::microseconds kAwake{1000};
constexpr int kPolls = 64;  // between readings of the clock
constexpr std::uint32_t kOpen = 1u << 31;
constexpr int kNowhere = -2;          // no processor has this number, and no failure to ask for it
constexpr std::int64_t kRanges = 16;  // for each thread, where there are as many
constexpr int kMostThreads = 256;

int allowed_threads() {
    if (const char* requested = std::getenv("PULLBACK_NUM_THREADS")) {
        const int count = std::atoi(requested);
        if (count > 0) return count;
    }
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
    return static_cast<int>(std::thread::hardware_concurrency());
}

void pause_briefly() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/// Waits, at most `kAwake`; whether it is so now.
template <typename Predicate>
bool comes_soon(Predicate is_so) {
    const auto end = std::chrono::steady_clock::now() + kAwake;
    do {
        for (int poll = 0; poll < kPolls; ++poll) {
            if (is_so()) return true;
            pause_briefly();
        }
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

/// The threads, and the one job that they have at a time. Never destroyed: they sleep to the end.
class Workers {
  public:
    void run(std::int64_t count, std::int64_t range,
             void (*body)(void*, std::int64_t, std::int64_t), void* argument) {
        start();
        body_ = body;
        argument_ = argument;
        range_ = range;
        share_out(count);
        state_.store(kOpen, std::memory_order_release);
        keep_apart();
        round_.fetch_add(1, std::memory_order_release);
        round_.notify_all();
        work(0);
        // Threads that have not come by now need not come: only those inside are waited for.
        state_.fetch_and(~kOpen, std::memory_order_acq_rel);
        if (comes_soon([this] { return state_.load(std::memory_order_acquire) == 0; })) return;
        for (;;) {
            const std::uint32_t inside = state_.load(std::memory_order_acquire);
            if (inside == 0) return;
            state_.wait(inside, std::memory_order_acquire);
        }
    }

    std::mutex& mutex() { return mutex_; }
    int others() {
        int requested = requested_.load(std::memory_order_relaxed);
        if (requested < 0) {
            requested = std::min(allowed_threads(), kMostThreads) - 1;
            requested_.store(requested, std::memory_order_relaxed);
        }
        return requested;
    }
    void set_others(int count) { requested_.store(count, std::memory_order_relaxed); }

    /// In a child of `fork`, where the threads are gone.
    void forget() {
        threads_.clear();
        state_.store(0);
        new (&mutex_) std::mutex;
    }

  private:
    void start() {
        while (static_cast<int>(threads_.size()) < others()) {
            const std::uint32_t seen = round_.load(std::memory_order_relaxed);
            std::thread fresh([this, seen] { serve(seen); });
            threads_.push_back(fresh.native_handle());
            avoided_ = kNowhere;
            fresh.detach();
        }
    }

    /// Lets the threads run wherever the caller may, but not on the caller's processor: a scheduler
    /// that packs them there has them wait until the caller's slice of time is over.
    void keep_apart() {
#ifdef __linux__
        const int here = sched_getcpu();
        if (here == avoided_) return;
        avoided_ = here;
        cpu_set_t allowed;
        if (here < 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
        if (CPU_COUNT(&allowed) > 1) CPU_CLR(here, &allowed);
        for (const pthread_t thread : threads_)
            pthread_setaffinity_np(thread, sizeof allowed, &allowed);
#endif
    }

    void serve(std::uint32_t seen) {
        for (;;) {
            if (!comes_soon([&] { return round_.load(std::memory_order_acquire) != seen; }))
                round_.wait(seen, std::memory_order_acquire);
            seen = round_.load(std::memory_order_acquire);
            std::uint32_t state = state_.load(std::memory_order_acquire);
            while ((state & kOpen) != 0 &&
                   (state & ~kOpen) < static_cast<std::uint32_t>(others())) {
                if (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel))
                    continue;
                work(static_cast<int>(state & ~kOpen) + 1);
                if (state_.fetch_sub(1, std::memory_order_acq_rel) == 1) state_.notify_one();
                break;
            }
        }
    }

    /// A share of whole ranges for each thread, so that it goes through memory in order: forwards
    /// in one job, backwards in the next, which begins with what that one left in the thread's
    /// caches.
    void share_out(std::int64_t count) {
        backwards_ = !backwards_;
        shared_ = static_cast<int>(threads_.size()) + 1;
        const std::int64_t ranges = (count + range_ - 1) / range_;
        for (int k = 0; k < shared_; ++k) {
            shares_[k].first = ranges * k / shared_;
            shares_[k].count = ranges * (k + 1) / shared_ - shares_[k].first;
            shares_[k].taken.store(0, std::memory_order_relaxed);
        }
        end_ = count;
    }

    /// Does the ranges of this share, then what is left of the others'.
    void work(int own) {
        for (int k = 0; k < shared_; ++k) {
            Share& share = shares_[(own + k) % shared_];
            for (;;) {
                const std::int64_t index = share.taken.fetch_add(1, std::memory_order_relaxed);
                if (index >= share.count) break;
                const std::int64_t range =
                    share.first + (backwards_ ? share.count - 1 - index : index);
                body_(argument_, range * range_, std::min((range + 1) * range_, end_));
            }
        }
    }

    struct alignas(64) Share {
        std::int64_t first = 0;  // of its ranges
        std::int64_t count = 0;
        std::atomic<std::int64_t> taken{0};
    };

    std::mutex mutex_;
    std::atomic<int> requested_{-1};  // not set yet
    std::vector<pthread_t> threads_;
    int avoided_ = kNowhere;  // the processor that workers avoid
    std::atomic<std::uint32_t> round_{0};
    std::atomic<std::uint32_t> state_{0};  // whether there is a job, and how many work on it
    Share shares_[kMostThreads];
    int shared_ = 1;
    std::int64_t range_ = 1;
    std::int64_t end_ = 0;
    bool backwards_ = false;
    void (*body_)(void*, std::int64_t, std::int64_t) = nullptr;
    void* argument_ = nullptr;
};

Workers& workers() {
    static Workers& made = *[] {
        auto* fresh = new Workers;
        pthread_atfork(nullptr, nullptr, [] { workers().forget(); });
        return fresh;
    }();
    return made;
}

}  // namespace

void parallel_for(void*, std::int64_t count, std::int64_t grain,
                  void (*body)(void*, std::int64_t, std::int64_t), void* argument) {
    Workers& pool = workers();
    std::unique_lock<std::mutex> alone(pool.mutex(), std::try_to_lock);
    if (!alone || pool.others() < 1 || count <= grain) {
        body(argument, 0, count);
        return;
    }
    const std::int64_t even = count / (kRanges * (pool.others() + 1));
    pool.run(count, even > grain ? even : grain, body, argument);
}

int num_threads() { return workers().others() + 1; }

void set_num_threads(int count) { workers().set_others(std::clamp(count, 1, kMostThreads) - 1); }

}  // namespace pullback
