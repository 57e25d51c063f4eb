#include "runtime/task_threads.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/workers.h"

namespace pullback {
namespace {

constexpr int kMost = 15;

/// Never destroyed: its threads wait until the process ends.
class TaskThreads {
  public:
    /// Has at least so many threads. The GIL guards it.
    void grow(int count) {
        for (; count_ < count; ++count_) std::thread([this] { serve(); }).detach();
    }

    void add(std::function<void()> work) {
        {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(std::move(work));
        }
        arrived_.notify_one();
    }

  private:
    [[noreturn]] void serve() {
        for (;;) {
            std::function<void()> work;
            {
                std::unique_lock lock(mutex_);
                arrived_.wait(lock, [this] { return !waiting_.empty(); });
                work = std::move(waiting_.front());
                waiting_.pop_front();
            }
            work();
        }
    }

    int count_ = 0;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<std::function<void()>> waiting_;
};

TaskThreads* started = nullptr;  // guarded by the GIL

/// A child process has none of its parent's threads.
void forget_in_child() { started = nullptr; }

}  // namespace

int task_threads() { return std::clamp(num_threads() - 1, 0, kMost); }

void run_task(std::function<void()> work) {
    if (started == nullptr) {
        static const int registered = pthread_atfork(nullptr, nullptr, forget_in_child);
        static_cast<void>(registered);
        started = new TaskThreads;
    }
    started->grow(task_threads());
    started->add(std::move(work));
}

}  // namespace pullback
