#include "pullback/tensor.h"

#include "pullback/errors.h"
#include "pullback/node.h"
#include "pullback/numpy_api.h"
#include "tensor_memory.h"

namespace pullback {

std::int64_t Layout::size() const {
    std::int64_t product = 1;
    for (int axis = 0; axis < ndim; ++axis) product *= shape[axis];
    return product;
}

bool Layout::same_shape(const Layout& other) const {
    if (ndim != other.ndim) return false;
    for (int axis = 0; axis < ndim; ++axis) {
        if (shape[axis] != other.shape[axis]) return false;
    }
    return true;
}

std::string Layout::shape_text() const {
    std::string text = "(";
    for (int axis = 0; axis < ndim; ++axis) {
        text += (axis > 0 ? ", " : "") + std::to_string(shape[axis]);
    }
    return text + (ndim == 1 ? ",)" : ")");
}

namespace {

Layout layout_of(PyArrayObject* array) {
    Layout layout;
    const int ndim = PyArray_NDIM(array);
    if (ndim > kMaxDims) {
        raise(PyExc_ValueError, "the native engine's tensors have at most " +
                                    std::to_string(kMaxDims) + " dimensions, and this has " +
                                    std::to_string(ndim) + "; pb.use_engine('reference') takes it");
    }
    layout.ndim = static_cast<std::int8_t>(ndim);
    layout.dtype = static_cast<DType>(PyArray_TYPE(array));
    layout.contiguous = PyArray_IS_C_CONTIGUOUS(array) != 0;
    layout.regular = PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array);
    const npy_intp item = PyArray_ITEMSIZE(array);
    for (int axis = 0; axis < ndim; ++axis) {
        const npy_intp stride = PyArray_STRIDE(array, axis);
        layout.shape[axis] = PyArray_DIM(array, axis);
        layout.strides[axis] = item == 0 ? 0 : stride / item;
        layout.regular = layout.regular && layout.strides[axis] * item == stride;
    }
    return layout;
}

/// Lets the cycle collector see a tensor: in a graph it may be part of a cycle through a hook.
void track(Tensor& tensor) {
    if (!PyObject_GC_IsTracked(tensor.object())) PyObject_GC_Track(tensor.object());
}

}  // namespace

Ref<Tensor> Tensor::of_array(PyRef array, Ref<Storage> storage) {
    const Layout layout = layout_of(as_array(array.get()));
    Ref<Tensor> tensor = make_tensor();
    tensor->storage = storage ? std::move(storage) : Storage::of_array(array.get());
    tensor->data = PyArray_DATA(as_array(array.get()));
    tensor->layout = layout;
    tensor->cached_array = std::move(array);
    return tensor;
}

Ref<Tensor> Tensor::allocate(const Layout& layout) {
    Ref<Tensor> tensor = make_tensor();
    tensor->layout = layout;
    tensor->layout.contiguous = tensor->layout.regular = true;
    std::int64_t stride = 1;
    for (int axis = layout.ndim - 1; axis >= 0; --axis) {
        tensor->layout.strides[axis] = stride;
        stride *= layout.shape[axis];
    }
    const std::size_t bytes = to_dlpack(layout.dtype).bits / 8;
    tensor->storage = Storage::allocate(static_cast<std::size_t>(layout.size()) * bytes);
    tensor->data = tensor->storage->begin;
    return tensor;
}

PyObject* Tensor::array() {
    if (cached_array) return cached_array.get();
    PyArray_Descr* descr = PyArray_DescrFromType(layout.dtype);
    if (descr == nullptr) throw ErrorSet{};
    npy_intp strides[kMaxDims];
    for (int axis = 0; axis < layout.ndim; ++axis) {
        strides[axis] = layout.strides[axis] * PyDataType_ELSIZE(descr);
    }
    PyRef made = checked(PyArray_NewFromDescr(&PyArray_Type, descr, layout.ndim, layout.shape,
                                              strides, data, NPY_ARRAY_WRITEABLE, nullptr));
    checked(PyArray_SetBaseObject(as_array(made.get()), Ref<Storage>(storage).release_object()));
    PyArray_UpdateFlags(as_array(made.get()), NPY_ARRAY_UPDATE_ALL);
    cached_array = std::move(made);
    return cached_array.get();
}

TensorExtras& Tensor::more() {
    if (!extras) extras = std::make_unique<TensorExtras>();
    return *extras;
}

Ref<Node> Tensor::leaf_node() {
    TensorExtras& mine = more();
    if (mine.leaf_node != nullptr) return Ref<Node>::borrow(mine.leaf_node);
    Ref<Node> node = Node::make(NodeKind::leaf);
    node->outputs.emplace_back(layout, true);
    node->leaf = Ref<Tensor>::borrow(this);
    mine.leaf_node = node.get();
    return node;
}

Edge edge_of(Tensor& tensor) {
    if (tensor.grad_fn) return {tensor.grad_fn, tensor.output_number};
    if (!tensor.requires_grad) return {};
    return {tensor.leaf_node(), 0};
}

void Tensor::set_requires_grad(bool flag) {
    if (grad_fn && !flag) {
        raise("NotDifferentiableError",
              "requires_grad can only be taken from a leaf; x.detach() is the same value without "
              "its history");
    }
    if (flag && !is_float(layout.dtype)) {
        PyObject* descr = reinterpret_cast<PyObject*>(PyArray_DESCR(as_array(array())));
        raise("NotDifferentiableError",
              "only tensors of a float dtype can require grad, and this is " + text_of(descr));
    }
    requires_grad = flag;
    if (flag) track(*this);
}

void Tensor::hang_on(Ref<Node> node, std::int32_t output) {
    grad_fn = std::move(node);
    output_number = output;
    requires_grad = true;
    track(*this);
}

Ref<Tensor> Tensor::detach() {
    Ref<Tensor> detached = make_tensor();
    detached->storage = storage;
    detached->data = data;
    detached->layout = layout;
    detached->cached_array = cached_array;
    if (extras && extras->name) detached->more().name = extras->name;
    return detached;
}

}  // namespace pullback
