// Threads that run whole kernels, while the one that sent them does something else.
#pragma once

#include <functional>

namespace pullback {

/// Their number: one less than the threads that the process may run on.
int task_threads();
/// Hands work, which needs neither the GIL nor Python and does not throw, to the first that is
/// free.
void run_task(std::function<void()> work);

}  // namespace pullback
