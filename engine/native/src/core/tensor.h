// The tensor: a view of a storage, and its place in the graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/collector.h"
#include "base/layout.h"
#include "core/storage.h"
#include "runtime/outer_product.h"

namespace pullback {

struct Node;
struct Tensor;

/// Members that few tensors have.
struct TensorExtras {
    PyRef name;         // str
    PyRef hooks;        // of a leaf: dict of id to callable, run on the summed gradient
    PyRef after_hooks;  // of a leaf: likewise, run on the tensor after it was added to its grad
    std::shared_ptr<const OuterProduct> unwritten;  // what is to be in the memory
};

/// The origin of a view, by the names of `pullback.engine.mutation.views`.
enum class Made : std::uint8_t { none, plain, unrecorded, formula, leaf };

/// A tensor is a Python object. Its fields are guarded by the GIL.
struct Tensor {
    PyObject ob_base;
    Ref<Storage> storage;
    // The address of the first element; NULL while the values are not written yet.
    mutable void* first = nullptr;
    Layout layout;
    Ref<Node> grad_fn;               // none for a leaf
    std::int32_t output_number = 0;  // among the outputs of grad_fn
    bool requires_grad = false;
    bool tracked = false;    // by the cycle collector
    Made made = Made::none;  // of a view
    // Recorded in-place writes into a base and its views; of a view, those that its history has
    // seen.
    std::uint32_t writes = 0;
    Ref<Tensor> base;           // of a view: what it shows a part of, no view itself
    Node* leaf_node = nullptr;  // of a leaf: borrowed, the node clears it when it dies
    Ref<Tensor> grad;
    std::unique_ptr<TensorExtras> extras;
    PyRef cached_array;  // the NumPy array over this view; made when it is first asked for
    PyObject* weak_references = nullptr;

    bool is_leaf() const { return !grad_fn; }
    PyObject* object() { return reinterpret_cast<PyObject*>(this); }

    /// The first element; values that were not written yet are now.
    void* data() const {
        if (first == nullptr) [[unlikely]]
            write();
        return first;
    }
    /// The values, while they are not written; else NULL.
    std::shared_ptr<const OuterProduct> unwritten() const {
        return first == nullptr && extras ? extras->unwritten : nullptr;
    }
    /// Leaves the values of memory of its own to whoever reads them first.
    void leave_unwritten(std::shared_ptr<const OuterProduct> values) {
        more().unwritten = std::move(values);
        first = nullptr;
    }
    /// The NumPy array over the same memory: borrowed from the tensor. Throws ErrorSet.
    PyObject* array();
    TensorExtras& more();
    /// The node that stands for this leaf; made when first asked for. Throws ErrorSet.
    Ref<Node> node_of_leaf();
    /// Refuses what can't require grad. Throws ErrorSet.
    void set_requires_grad(bool flag);
    /// Makes this an output of a node: it requires grad.
    void hang_on(Ref<Node> node, std::int32_t output) {
        grad_fn = std::move(node);
        output_number = output;
        requires_grad = true;
        track();
    }
    /// Makes this, over memory of `source`, a view of it or of its base.
    void show_part_of(Tensor& source, Made how);
    /// Has a history of the present values: that of a view is old after a recorded write into its
    /// base. Throws ErrorSet.
    void refresh() {
        if (stale()) [[unlikely]]
            renew();
    }
    bool stale() const { return base && base->writes != writes; }
    /// Takes over the history of a result, whose values were written into this memory; it may have
    /// none. A retained gradient is that of the new values. Throws ErrorSet.
    void rebase(const Tensor& result);
    /// True if only the one who asks can see the tensor and its memory.
    bool exclusive() const {
        return Py_REFCNT(&ob_base) == 1 && storage->exclusive() && !cached_array &&
               weak_references == nullptr;
    }

    /// True if there is anything of what few tensors have.
    bool has_rare() const {
        return weak_references != nullptr || base || grad || extras || cached_array;
    }

    static PyTypeObject* type;
    static Pool<Tensor> pool;
    static Pool<Tensor> small_pool;  // of those that still have memory for a few values
    static bool check(PyObject* object) { return Py_TYPE(object) == type; }
    static Tensor* cast(PyObject* object) { return reinterpret_cast<Tensor*>(object); }

    /// A tensor with nothing in it yet. Throws ErrorSet.
    static Ref<Tensor> make() {
        Tensor* tensor = pool.take(type);
        if (tensor == nullptr) throw ErrorSet{};
        return Ref<Tensor>::steal(tensor);
    }
    /// A leaf over an array's memory. `storage` is the one to share, or none for one of its own.
    /// Throws ErrorSet.
    static Ref<Tensor> of_array(PyRef array, Ref<Storage> storage = nullptr);
    /// A leaf over part of a storage. Throws ErrorSet.
    static Ref<Tensor> view_of(Ref<Storage> storage, void* data, const Layout& layout);
    /// A leaf over memory that is not filled yet; the layout must be contiguous. Throws ErrorSet.
    static Ref<Tensor> allocate(const Layout& layout) {
        return allocate(layout,
                        static_cast<std::size_t>(layout.size()) * item_size(layout.dtype()));
    }
    /// The same where the number of bytes is known.
    static Ref<Tensor> allocate(const Layout& layout, std::size_t bytes) {
        Tensor* const reused = bytes <= Storage::kSmall ? small_pool.take_free() : nullptr;
        if (reused == nullptr) [[unlikely]]
            return allocate_anew(layout, bytes);
        reused->storage->renew(bytes);
        reused->first = reused->storage->small;
        reused->layout.fill(layout);
        return Ref<Tensor>::steal(reused);
    }
    /// The same memory without history.
    Ref<Tensor> detach();

  private:
    static Ref<Tensor> allocate_anew(const Layout& layout, std::size_t bytes);
    /// Lets the cycle collector see the tensor: in a graph it may be part of a cycle through a
    /// hook.
    void track() {
        if (tracked) return;
        tracked = true;
        pullback::track(object());
    }
    void renew();
    void write() const;
};

/// Makes the Python type `Tensor`; throws ErrorSet.
void define_tensor_type();

/// np.asarray(value): a base-class array. Throws ErrorSet.
PyRef to_array(PyRef value);

}  // namespace pullback
