// Memory, as all tensors that view it share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/object.h"
#include "base/pool.h"
#include "base/switches.h"

namespace pullback {

/// A stretch of memory, its owner, and how often it was written.
struct Storage {
    static constexpr std::size_t kSmall = 64;

    PyObject ob_base;
    PyRef owner;            // the array that owns the memory; none where the storage itself does
    char* begin = nullptr;  // the whole extent, by which tensors that share memory are found
    char* end = nullptr;
    std::uint32_t version = 0;  // writes so far
    std::uint32_t saved = 0;    // saved variables that rely on the present values
    std::uint32_t n_saved = 0;  // saved variables that are tensors over the memory
    bool inference = false;     // made in inference mode: writes are not counted
    // The last write: its time; "file:line by x += value", a str; or a code object, the place in
    // it, and what it was.
    std::uint64_t written_at = 0;
    PyRef written;
    int written_instruction = 0;
    const char* written_by = nullptr;
    PyRef exports;                   // list of weak references to the arrays handed out
    alignas(16) char small[kSmall];  // a few values have no block of their own

    bool holds(const void* address) const { return address >= begin && address < end; }
    /// True if nobody but the one who asks can see the memory.
    bool exclusive() const { return Py_REFCNT(&ob_base) == 1 && !owner && !exports; }

    /// True if the one tensor that has it may leave it to the next one.
    bool as_new() const {
        return Py_REFCNT(&ob_base) == 1 && begin == small && version == 0 && !exports && !inference;
    }

    /// Counts a write, and remembers who calls; `what` is a literal.
    void count_write(const char* what);
    /// Counts a write: one more version, at a new time.
    void count_version() {
        ++version;
        written_at = next_moment();
    }
    /// A number higher than those of all writes so far, lower than those of all to come.
    static std::uint64_t next_moment() {
        static std::uint64_t writes = 0;
        return ++writes;
    }
    /// "file:line by x += value" of the last write. Throws ErrorSet.
    std::string last_write() const;

    /// A view of the array to hand out, read-only while a backward needs the values. Throws
    /// ErrorSet.
    PyRef export_view(PyObject* array);
    /// A backward needs the values from now on.
    void protect() {
        ++saved;
        if (exports) [[unlikely]]
            protect(true);
    }
    /// That backward doesn't any more.
    void release() {
        --saved;
        if (exports && saved == 0) [[unlikely]]
            protect(false);
    }

    static PyTypeObject* type;
    static Pool<Storage> pool;
    /// Fresh memory of this many bytes, aligned for vector instructions where it is more than a few
    /// values. Throws ErrorSet.
    static Ref<Storage> allocate(std::size_t bytes) {
        if (kReuseMemory && bytes <= kSmall) [[likely]] {
            Storage* storage = pool.take(type);
            if (storage == nullptr) throw ErrorSet{};
            storage->begin = storage->small;
            storage->renew(bytes);
            return Ref<Storage>::steal(storage);
        }
        return allocate_block(bytes);
    }
    /// The memory under an array, kept alive by the array. Throws ErrorSet.
    static Ref<Storage> of_array(PyObject* array);

    /// Reserves so many bytes in what has a few values.
    void renew(std::size_t bytes) {
        end = small + bytes;
        if (switches.inference) [[unlikely]]
            find_mode();
    }
    /// Notes whether this is made in inference mode.
    void find_mode();

  private:
    static Ref<Storage> allocate_block(std::size_t bytes);
    void protect(bool read_only);
};

/// Makes the Python type; throws ErrorSet.
void define_storage_type();

}  // namespace pullback
