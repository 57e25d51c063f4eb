// What a CUDA kernel needs of its device, on one core: threads of a block take turns at each barrier, all
// of which they must reach together.
#include <math.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(threads)
#define __shared__ static

struct Dimension {
    unsigned x;
};
inline Dimension threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {

struct Thread {
    ucontext_t context;
    std::vector<char> stack;
    bool done;
};
inline std::vector<Thread> threads;
inline ucontext_t scheduler;
inline std::function<void()> body;

inline void wait() { swapcontext(&threads[threadIdx.x].context, &scheduler); }

inline void begin() {
    body();
    threads[threadIdx.x].done = true;
}

inline void block() {
    for (Thread& thread : threads) {
        getcontext(&thread.context);
        thread.done = false;
        thread.context.uc_stack.ss_sp = thread.stack.data();
        thread.context.uc_stack.ss_size = thread.stack.size();
        thread.context.uc_link = &scheduler;
        makecontext(&thread.context, begin, 0);
    }
    for (std::size_t left = threads.size(); left > 0;) {
        left = 0;
        for (std::size_t t = 0; t < threads.size(); ++t) {
            threadIdx.x = static_cast<unsigned>(t);
            swapcontext(&scheduler, &threads[t].context);
            left += threads[t].done ? 0 : 1;
        }
        if (left > 0 && left < threads.size()) std::abort();  // a barrier that some do not reach
    }
}

template <typename... A, std::size_t... K>
void call(void (*kernel)(A...), void** arguments, std::index_sequence<K...>) {
    kernel(*static_cast<A*>(arguments[K])...);
}

template <typename... A>
void run(void (*kernel)(A...), unsigned blocks, unsigned count, void** arguments) {
    threads.resize(count);
    for (Thread& thread : threads) thread.stack.resize(1 << 16);
    blockDim.x = count;
    gridDim.x = blocks;
    body = [=] { call(kernel, arguments, std::index_sequence_for<A...>{}); };
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) block();
}

inline char exchanged[1024][8];

}  // namespace emulated

inline void __syncthreads() { emulated::wait(); }
inline void __syncwarp() { emulated::wait(); }
inline void __threadfence() {}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
inline unsigned atomicAdd(unsigned* place, unsigned term) {
    const unsigned before = *place;
    *place += term;
    return before;
}
template <typename A>
A __shfl_xor_sync(unsigned, A value, int step) {
    static_assert(sizeof(A) <= 8);
    std::memcpy(emulated::exchanged[threadIdx.x], &value, sizeof(A));
    emulated::wait();
    A other;
    std::memcpy(&other, emulated::exchanged[threadIdx.x ^ static_cast<unsigned>(step)], sizeof(A));
    emulated::wait();
    return other;
}
