#include "core/tensor.h"

#include "base/errors.h"
#include "base/numpy_api.h"
#include "core/grad_mode.h"
#include "core/node.h"

namespace pullback {

PyRef to_array(PyRef value) {
    if (PyArray_CheckExact(value.get())) return value;
    return checked(PyArray_FROM_OF(value.get(), NPY_ARRAY_ENSUREARRAY));
}

namespace {

Layout layout_of(PyArrayObject* array) {
    const int ndim = PyArray_NDIM(array);
    const auto dtype = static_cast<DType>(PyArray_TYPE(array));
    bool regular = PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array);
    if (regular && PyArray_IS_C_CONTIGUOUS(array)) {
        return Layout::c_order(dtype, ndim, PyArray_DIMS(array));
    }
    const npy_intp item = PyArray_ITEMSIZE(array);
    std::int64_t strides[NPY_MAXDIMS];
    for (int axis = 0; axis < ndim; ++axis) {
        const npy_intp stride = PyArray_STRIDE(array, axis);
        strides[axis] = item == 0 ? 0 : stride / item;
        regular = regular && strides[axis] * item == stride;
    }
    return Layout::strided(dtype, ndim, PyArray_DIMS(array), strides, regular);
}

}  // namespace

Ref<Tensor> Tensor::of_array(PyRef array, Ref<Storage> storage) {
    Ref<Tensor> tensor = make();
    tensor->layout = layout_of(as_array(array.get()));
    tensor->storage = storage ? std::move(storage) : Storage::of_array(array.get());
    tensor->first = PyArray_DATA(as_array(array.get()));
    tensor->cached_array = std::move(array);
    return tensor;
}

Ref<Tensor> Tensor::view_of(Ref<Storage> storage, void* data, const Layout& layout) {
    Ref<Tensor> tensor = make();
    tensor->layout = layout;
    tensor->storage = std::move(storage);
    tensor->first = data;
    return tensor;
}

Ref<Tensor> Tensor::allocate_anew(const Layout& layout, std::size_t bytes) {
    Ref<Tensor> tensor = make();
    tensor->storage = Storage::allocate(bytes);
    tensor->first = tensor->storage->begin;
    tensor->layout.fill(layout);
    return tensor;
}

PyObject* Tensor::array() {
    if (cached_array) return cached_array.get();
    PyArray_Descr* descr = PyArray_DescrFromType(layout.dtype());
    if (descr == nullptr) throw ErrorSet{};
    npy_intp strides[NPY_MAXDIMS];
    layout.copy_strides(strides);
    for (int axis = 0; axis < layout.ndim(); ++axis) strides[axis] *= PyDataType_ELSIZE(descr);
    PyRef fresh = checked(PyArray_NewFromDescr(&PyArray_Type, descr, layout.ndim(), layout.shape(),
                                               strides, data(), NPY_ARRAY_WRITEABLE, nullptr));
    checked(PyArray_SetBaseObject(as_array(fresh.get()), Ref<Storage>(storage).release_object()));
    PyArray_UpdateFlags(as_array(fresh.get()), NPY_ARRAY_UPDATE_ALL);
    cached_array = std::move(fresh);
    return cached_array.get();
}

void Tensor::write() const {
    const auto values = unwritten();
    if (values == nullptr) return;  // an array without elements may be nowhere
    first = storage->begin;
    values->write(first);
    extras->unwritten.reset();
}

TensorExtras& Tensor::more() {
    if (!extras) extras = std::make_unique<TensorExtras>();
    return *extras;
}

Ref<Node> Tensor::node_of_leaf() {
    if (leaf_node != nullptr) return Ref<Node>::borrow(leaf_node);
    Ref<Node> node = Node::make(NodeKind::leaf);
    node->outputs.emplace_back(layout, true);
    node->leaf = Ref<Tensor>::borrow(this);
    leaf_node = node.get();
    return node;
}

Edge edge_of(Tensor& tensor) {
    tensor.refresh();
    if (tensor.grad_fn) return {tensor.grad_fn, tensor.output_number};
    if (!tensor.requires_grad) return {};
    return {tensor.node_of_leaf(), 0};
}

void Tensor::set_requires_grad(bool flag) {
    refresh();
    if (flag && storage->inference && !in_inference_mode()) {
        raise("InferenceTensorError",
              "a tensor that was made in inference mode can't require grad outside of it; x.copy() "
              "is an ordinary tensor");
    }
    if (grad_fn && !flag) {
        raise("NotDifferentiableError",
              "requires_grad can only be taken from a leaf; x.detach() is the same value without "
              "its history");
    }
    if (flag && !is_float(layout.dtype()) && !is_complex(layout.dtype())) {
        PyObject* descr = reinterpret_cast<PyObject*>(PyArray_DESCR(as_array(array())));
        raise("NotDifferentiableError",
              "only tensors of a float or complex dtype can require grad, and this is " +
                  text_of(descr));
    }
    requires_grad = flag;
    if (flag) track();
    if (flag && base && !grad_fn) made = Made::leaf;
}

Ref<Tensor> Tensor::detach() {
    Ref<Tensor> detached = view_of(storage, data(), layout);
    detached->cached_array = cached_array;
    if (extras && extras->name) detached->more().name = extras->name;
    return detached;
}

}  // namespace pullback
