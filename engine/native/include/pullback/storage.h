// Memory, as all tensors that view it share it.
#pragma once

#include <cstdint>

#include "pullback/object.h"

namespace pullback {

/// A stretch of memory, what keeps it alive, and how often it was written.
struct Storage {
    PyObject ob_base;
    PyRef owner;            // the array that owns the memory; none where the storage itself does
    char* begin = nullptr;  // the whole extent, by which tensors that share memory are found
    char* end = nullptr;
    std::uint32_t version = 0;  // writes so far
    std::uint32_t saved = 0;    // saved variables that rely on the present values
    PyRef written_at;           // "file:line" of the last write, a str
    PyRef exports;              // list of weak references to the arrays handed out

    bool holds(const void* address) const { return address >= begin && address < end; }

    /// A view of the array to hand out, read-only while a backward needs the values. Throws
    /// ErrorSet.
    PyRef export_view(PyObject* array);
    /// A backward needs the values from now on.
    void keep();
    /// That backward doesn't any more.
    void release();

    static PyTypeObject* type;
    /// Fresh memory of this many bytes, aligned for vector instructions. Throws ErrorSet.
    static Ref<Storage> allocate(std::size_t bytes);
    /// The memory under an array, kept alive by the array. Throws ErrorSet.
    static Ref<Storage> of_array(PyObject* array);

  private:
    void protect(bool read_only);
};

/// Makes the Python type; throws ErrorSet.
void define_storage_type();

}  // namespace pullback
