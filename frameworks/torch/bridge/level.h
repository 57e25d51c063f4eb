/* A level: a kernel as an operator. Level 0 is a formula's forward, the next its backward, and so
 * on. */
#ifndef PULLBACK_TORCH_LEVEL_H_
#define PULLBACK_TORCH_LEVEL_H_

#include <mutex>
#include <string>
#include <unordered_map>

#include "description.h"
#include "python.h"
#include "values.h"

namespace pullback_torch {

struct Level;

/* The kernel of a backward for one pattern of gradients; values are saved ones, then cotangents. */
struct Plan {
    bool has_kernel = false;
    Kernel kernel;
    std::vector<int64_t> slots;   // the argument that each output is the gradient of; -1: none
    uint64_t wanted = 0;          // outputs that are needed
    std::vector<int64_t> params;  // the value of each argument of `derivative`
    Level* derivative =
        nullptr;  // the same kernel as an operator whose call may be recorded, or none
};

struct Pattern {
    uint64_t defined, needed;
    bool operator==(const Pattern& other) const {
        return defined == other.defined && needed == other.needed;
    }
};

struct HashOfPattern {
    size_t operator()(const Pattern& one) const {
        return one.defined * 0x9E3779B97F4A7C15u ^ one.needed;
    }
};

enum class Place : int64_t { kSpec, kArgument, kLike, kSize, kRank, kOutput, kNone };

/* The place of a value that is saved and is no result: an output of the kernel behind the arrays,
   an argument, what an argument or output (counted after them) says (shape and dtype, number of
   elements, whether it has `axes`, whether it is none), or an array of the kernel's, as a mask. */
struct PlainPlace {
    Place place;
    int64_t number, axes;
    Kind kind;
};

enum class Source : int64_t { kArgument, kOutput, kPlain };

struct SavedPlace {
    Source source;
    int64_t position;
};

struct Level {
    std::string name;
    PyObject* owner = nullptr;  // makes plans, and runs backwards op by op
    Kernel kernel;
    int64_t arguments = 0, results = 0, hidden = 0;
    std::vector<int64_t> positions;  // of the kernel's outputs among results and hidden ones
    std::vector<int64_t> differentiable;
    std::vector<PlainPlace> plain;
    std::vector<SavedPlace> saved;
    std::mutex guard;
    std::unordered_map<Pattern, std::unique_ptr<Plan>, HashOfPattern> plans;

    const Plan& plan(uint64_t defined, uint64_t needed);
};

inline const Plan& Level::plan(uint64_t defined, uint64_t needed) {
    const Pattern pattern{defined, needed};
    {
        const std::lock_guard lock(guard);
        const auto found = plans.find(pattern);
        if (found != plans.end()) return *found->second;
    }
    auto made = std::make_unique<Plan>();
    {
        const Gil gil;
        const Object words = checked(PyObject_CallMethod(owner, "plan", "KK",
                                                         static_cast<unsigned long long>(defined),
                                                         static_cast<unsigned long long>(needed)));
        char* data = nullptr;
        Py_ssize_t bytes = 0;
        if (PyBytes_AsStringAndSize(words.get(), &data, &bytes) != 0) checked(nullptr);
        if (bytes != 0) {
            std::vector<int64_t> row(static_cast<size_t>(bytes) / sizeof(int64_t));
            std::memcpy(row.data(), data, row.size() * sizeof(int64_t));
            Reader reader(row.data(), static_cast<int64_t>(row.size()));
            made->has_kernel = true;
            made->kernel = reader.kernel();
            made->slots = reader.words();
            made->wanted = static_cast<uint64_t>(reader.word());
            made->params = reader.words();
            made->derivative = reinterpret_cast<Level*>(reader.word());
        }
    }
    const std::lock_guard lock(guard);
    return *plans.try_emplace(pattern, std::move(made)).first->second;
}

}  // namespace pullback_torch

#endif
