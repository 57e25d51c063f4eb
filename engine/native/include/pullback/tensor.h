// The tensor: a view of a storage, and its place in the graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pullback/dtype.h"
#include "pullback/storage.h"

namespace pullback {

struct Node;
struct Tensor;

inline constexpr int kMaxDims = PB_MAX_DIMS;

/// Shape, strides and element type of a view.
struct Layout {
    std::int64_t shape[kMaxDims];
    std::int64_t strides[kMaxDims];  // in elements
    std::int8_t ndim = 0;
    bool contiguous = true;  // C order: strides say nothing more than shape
    bool regular = true;     // aligned, native byte order, strides a whole number of elements
    DType dtype = 0;

    std::int64_t size() const;
    bool same_shape(const Layout& other) const;
    /// As Python prints a shape: "(2, 3)".
    std::string shape_text() const;
};

/// What few tensors have.
struct TensorExtras {
    PyRef name;                 // str
    PyRef hooks;                // of a leaf: dict of id to callable, run on the summed gradient
    Node* leaf_node = nullptr;  // of a leaf: borrowed, the node clears it when it dies
};

/// A tensor is a Python object. Its fields are guarded by the GIL.
struct Tensor {
    PyObject ob_base;
    Ref<Storage> storage;
    void* data = nullptr;
    Layout layout;
    bool requires_grad = false;
    std::int32_t output_number = 0;  // among the outputs of grad_fn
    Ref<Node> grad_fn;               // none for a leaf
    Ref<Tensor> grad;
    std::unique_ptr<TensorExtras> extras;
    PyRef cached_array;  // the NumPy array over this view; made when it is first asked for
    PyObject* weak_references = nullptr;

    bool is_leaf() const { return !grad_fn; }
    PyObject* object() { return reinterpret_cast<PyObject*>(this); }

    /// The NumPy array over the same memory: borrowed from the tensor. Throws ErrorSet.
    PyObject* array();
    TensorExtras& more();
    /// The node that stands for this leaf; made when first asked for. Throws ErrorSet.
    Ref<Node> leaf_node();
    /// Refuses what can't require grad. Throws ErrorSet.
    void set_requires_grad(bool flag);
    /// Makes this an output of a node: it requires grad.
    void hang_on(Ref<Node> node, std::int32_t output);

    static PyTypeObject* type;
    static bool check(PyObject* object) { return Py_TYPE(object) == type; }
    static Tensor* cast(PyObject* object) { return reinterpret_cast<Tensor*>(object); }

    /// A leaf over an array's memory. `storage` is the one to share, or none for one of its own.
    /// Throws ErrorSet with ValueError for more than kMaxDims dimensions.
    static Ref<Tensor> of_array(PyRef array, Ref<Storage> storage = nullptr);
    /// A leaf over memory that is not filled yet, in C order. Throws ErrorSet.
    static Ref<Tensor> allocate(const Layout& layout);
    /// The same memory without history.
    Ref<Tensor> detach();
};

/// Makes the Python type `Tensor`; throws ErrorSet.
void define_tensor_type();

}  // namespace pullback
