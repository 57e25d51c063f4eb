/* Kernels as Python describes them, in rows of 64-bit integers that `levels.py` writes. */
#ifndef PULLBACK_TORCH_DESCRIPTION_H_
#define PULLBACK_TORCH_DESCRIPTION_H_

#include <c10/util/Exception.h>
#include <pullback/kernel_abi.h>

#include <cstdint>
#include <vector>

namespace pullback_torch {

enum class Role : int64_t { kArray, kLike, kInteger, kDouble };

/* An input of a kernel: which of the values it is taken from. */
struct Entry {
    int64_t value;
    Role role;
};

class Module;

struct Kernel {
    pb_infer_function infer = nullptr;
    pb_run_function run = nullptr;
    pb_flat_function flat = nullptr;
    Module* module = nullptr;  // whose kernels `run` starts; nullptr: it computes on the CPU
    std::vector<Entry> entries;
    int64_t outputs = 0;
    int64_t plain = 0;  // outputs behind the arrays
};

/* Reads a row of integers. */
class Reader {
  public:
    Reader(const int64_t* words, int64_t count) : at_(words), end_(words + count) {}

    int64_t word() {
        TORCH_INTERNAL_ASSERT(at_ < end_, "a description that is too short");
        return *at_++;
    }

    std::vector<int64_t> words() {
        std::vector<int64_t> found(static_cast<size_t>(word()));
        for (int64_t& one : found) one = word();
        return found;
    }

    Kernel kernel() {
        Kernel made;
        made.infer = reinterpret_cast<pb_infer_function>(word());
        made.run = reinterpret_cast<pb_run_function>(word());
        made.flat = reinterpret_cast<pb_flat_function>(word());
        made.module = reinterpret_cast<Module*>(word());
        const int64_t count = word();
        for (int64_t k = 0; k < count; ++k) {
            const int64_t value = word();
            made.entries.push_back({value, static_cast<Role>(word())});
        }
        made.outputs = word();
        made.plain = word();
        return made;
    }

  private:
    const int64_t* at_;
    const int64_t* end_;
};

}  // namespace pullback_torch

#endif
