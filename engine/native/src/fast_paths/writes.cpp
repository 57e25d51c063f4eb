#include "fast_paths/writes.h"

#include "base/errors.h"
#include "base/numpy_api.h"

namespace pullback {

bool writable(const Tensor& tensor) {
    return tensor.layout.contiguous() &&
           (!tensor.cached_array || PyArray_ISWRITEABLE(as_array(tensor.cached_array.get())));
}

bool is_plain(const Layout& layout) {
    return layout.contiguous() && layout.regular() &&
           (layout.dtype() == NPY_FLOAT || layout.dtype() == NPY_DOUBLE);
}

bool read(PyObject* value, const Layout& like, SweepInput& input) {
    if (Tensor::check(value)) {
        const Tensor& tensor = *Tensor::cast(value);
        input = {tensor.data(), 0};
        return !tensor.stale() && tensor.layout.twin_of(like);
    }
    if (!PyFloat_CheckExact(value)) return false;
    input = {nullptr, PyFloat_AS_DOUBLE(value)};
    return true;
}

bool may_record(const Tensor& target) {
    if (target.is_leaf() && target.requires_grad) return false;
    if (!target.base) return true;
    return target.made == Made::plain && !(target.base->is_leaf() && target.base->requires_grad);
}

namespace {

/// `region_of` in Python, which serves a base in another order too.
PyRef region_of(Tensor& base, Tensor& view) {
    if (!base.layout.contiguous() || !view.layout.regular()) {
        static PyObject* general = nullptr;
        import_once(general, "pullback.engine.primitives.regions", "region_of");
        return checked(PyObject_CallFunctionObjArgs(general, base.array(), view.array(), nullptr));
    }
    static PyObject* region = nullptr;
    import_once(region, "pullback.engine.primitives.regions", "Region");
    const Layout& layout = view.layout;
    std::int64_t strides[NPY_MAXDIMS];
    layout.copy_strides(strides);
    const auto bytes =
        static_cast<const char*>(view.data()) - static_cast<const char*>(base.data());
    const auto item = static_cast<std::ptrdiff_t>(item_size(layout.dtype()));
    const PyRef offset = checked(PyLong_FromSsize_t(bytes / item));
    return checked(PyObject_CallFunctionObjArgs(
        region, tuple_of(base.layout.extents()).get(), tuple_of(layout.extents()).get(),
        offset.get(), tuple_of({strides, layout.extents().size()}).get(), nullptr));
}

}  // namespace

void rebase(Tensor& base, PyObject* result, PyObject* region) {
    static PyObject* overwritten = nullptr;
    import_once(overwritten, "pullback.engine.mutation.views", "overwritten");
    const PyRef history =
        checked(PyObject_CallFunctionObjArgs(overwritten, base.object(), result, region, nullptr));
    base.rebase(*Tensor::cast(history.get()));
}

void rebase_base(Tensor& view, PyObject* result) {
    const PyRef region = region_of(*view.base, view);
    rebase(*view.base, result, region.get());
}

}  // namespace pullback
