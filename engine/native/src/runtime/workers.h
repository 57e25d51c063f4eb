// Threads that kernels share.
#pragma once

#include <cstdint>

namespace pullback {

/// The `parallel_for` of kernel_abi.h: calls body(argument, begin, end) for ranges that cover
/// [0, count), from this thread and others, `num_threads` in all. Each has a share whose ranges it
/// takes in order, then takes what is left of the others', so that a thread which another program
/// disturbs does less. Calls from several threads at once, and from within a body, do all of their
/// own work themselves. `context` is not read.
void parallel_for(void* context, std::int64_t count, std::int64_t grain,
                  void (*body)(void* argument, std::int64_t begin, std::int64_t end),
                  void* argument);

/// Threads that a loop may use, the caller included: those of `set_num_threads`, else
/// PULLBACK_NUM_THREADS, else the processors that this process may use.
int num_threads();
void set_num_threads(int count);

}  // namespace pullback
