// The fast path of `x[index] = value`: see `pullback.engine.mutation.inplace` for the general one.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/grad_mode.h"
#include "fast_paths/inplace.h"
#include "fast_paths/views.h"
#include "fast_paths/writes.h"

namespace pullback {
namespace {

/// Every element becomes the number.
void fill(const Tensor& part, double number) {
    if (part.layout.dtype() == NPY_FLOAT) {
        std::fill_n(static_cast<float*>(part.data()), part.layout.size(),
                    static_cast<float>(number));
    } else {
        std::fill_n(static_cast<double*>(part.data()), part.layout.size(), number);
    }
}

/// The number in a tensor without axes, of the part's type and other memory.
bool read_single(PyObject* value, const Tensor& part, SweepInput& input) {
    if (!Tensor::check(value)) return false;
    const Tensor& tensor = *Tensor::cast(value);
    const bool fits = tensor.layout.ndim() == 0 && tensor.layout.dtype() == part.layout.dtype();
    if (!fits || tensor.stale() || tensor.storage.get() == part.storage.get()) return false;
    const bool single = part.layout.dtype() == NPY_FLOAT;
    input = {nullptr, single ? double{*static_cast<const float*>(tensor.data())}
                             : *static_cast<const double*>(tensor.data())};
    return true;
}

/// A number that needs no warning in elements of this type, as it is or in a tensor, or a tensor of
/// this layout and other memory; false for what is neither.
bool read_value(PyObject* value, const Tensor& part, SweepInput& input) {
    if (read_single(value, part, input)) return true;
    PyRef number;
    if (PyLong_CheckExact(value)) {
        number = PyRef::steal(PyNumber_Float(value));
        if (!number) PyErr_Clear();  // the general path says what is wrong with it
    }
    if (!read(number ? number.get() : value, part.layout, input)) return false;
    if (input.data != nullptr) return Tensor::cast(value)->storage.get() != part.storage.get();
    return part.layout.dtype() == NPY_DOUBLE || !std::isfinite(input.number) ||
           std::fabs(input.number) <= double{std::numeric_limits<float>::max()};
}

/// True if the value is this part already, with its history: the end of `x[i] += v`.
bool is_part(PyObject* value, const Tensor& part, const Tensor& target) {
    if (!Tensor::check(value)) return false;
    const Tensor& tensor = *Tensor::cast(value);
    const Tensor* root = target.base ? target.base.get() : &target;
    return tensor.base.get() == root && tensor.made == Made::plain &&
           tensor.data() == part.data() && tensor.layout.twin_of(part.layout);
}

/// Every element becomes the number, or that of an array of the same layout.
void write(const Tensor& part, const SweepInput& input) {
    if (input.data == nullptr) return fill(part, input.number);
    const auto size = static_cast<std::size_t>(part.layout.size());
    std::memcpy(part.data(), input.data, size * item_size(part.layout.dtype()));
}

bool is_recorded(const Tensor& target, PyObject* value) {
    const bool requires_grad = target.requires_grad ||
                               (target.base && target.base->requires_grad) ||
                               (Tensor::check(value) && Tensor::cast(value)->requires_grad);
    return requires_grad && grad_enabled();
}

/// `target[index] = value` of a stretch of memory; false where this is not for the fast path.
bool set_part(Tensor& target, PyObject* index, PyObject* value) {
    const Ref<Tensor> part = part_of(target, index);
    SweepInput input{};
    if (!part || !is_plain(part->layout) || part->layout.size() == 0) return false;
    if (is_part(value, *part, target)) return true;
    if (!read_value(value, *part, input)) return false;
    const Tensor& base = target.base ? *target.base : target;
    const bool recorded = is_recorded(target, value);
    if (recorded && (!may_record(target) || part->layout.size() == base.layout.size()))
        return false;
    write(*part, input);
    target.storage->count_write("x[index] = value");
    if (!recorded) return true;
    part->show_part_of(target, Made::plain);
    rebase_base(*part, value);
    return true;
}

/// The array that an index is, in a tensor or written as a list of integers; none for another one.
PyRef array_of(PyObject* index) {
    if (Tensor::check(index)) return PyRef::borrow(Tensor::cast(index)->array());
    if (PyArray_CheckExact(index)) return PyRef::borrow(index);
    if (!PyList_CheckExact(index) || PyList_GET_SIZE(index) == 0 ||
        !PyLong_CheckExact(PyList_GET_ITEM(index, 0))) {
        return {};
    }
    PyRef array = PyRef::steal(PyArray_FROM_O(index));
    if (!array) PyErr_Clear();  // the general path says what is wrong with it
    return array;
}

/// An array for the places of so many rows, which go through all axes but the first ones.
PyRef room_for_places(npy_intp rows, const Layout& layout, int first) {
    npy_intp shape[NPY_MAXDIMS + 1] = {rows};
    std::copy(layout.shape() + first, layout.shape() + layout.ndim(), shape + 1);
    return checked(PyArray_SimpleNew(1 + layout.ndim() - first, shape, NPY_INT64));
}

std::int64_t* numbers_of(const PyRef& array) {
    return static_cast<std::int64_t*>(PyArray_DATA(as_array(array.get())));
}

/// The places of rows that integers list; none where one is out of bounds or there twice.
PyRef places_of_integers(PyArrayObject* rows, const Layout& layout) {
    const std::int64_t length = layout.shape(0), width = layout.size() / length;
    std::vector<bool> seen(static_cast<std::size_t>(length));
    const auto* numbers = static_cast<const std::int64_t*>(PyArray_DATA(rows));
    PyRef places = room_for_places(PyArray_DIM(rows, 0), layout, 1);
    std::int64_t* place = numbers_of(places);
    for (npy_intp i = 0; i < PyArray_DIM(rows, 0); ++i, place += width) {
        const std::int64_t row = numbers[i] < 0 ? numbers[i] + length : numbers[i];
        if (row < 0 || row >= length || seen[static_cast<std::size_t>(row)]) return {};
        seen[static_cast<std::size_t>(row)] = true;
        std::iota(place, place + width, row * width);
    }
    return places;
}

/// The places where a mask of the first axes is true; none where it is not of their lengths.
PyRef places_of_mask(PyArrayObject* mask, const Layout& layout) {
    const int first = PyArray_NDIM(mask);
    if (first > layout.ndim() ||
        !std::equal(layout.shape(), layout.shape() + first, PyArray_DIMS(mask)))
        return {};
    const npy_intp length = PyArray_SIZE(mask);
    const std::int64_t width = layout.size() / length;
    const auto* flags = static_cast<const npy_bool*>(PyArray_DATA(mask));
    const npy_intp rows = length - std::count(flags, flags + length, NPY_FALSE);
    PyRef places = room_for_places(rows, layout, first);
    std::int64_t* place = numbers_of(places);
    for (npy_intp row = 0; row < length; ++row) {
        if (flags[row] == NPY_FALSE) continue;
        std::iota(place, place + width, row * width);
        place += width;
    }
    return places;
}

/// The rows that an index of integers or a mask picks, none of them twice, as places in row-major
/// order of all entries; none where this is no such index, or one that does not fit.
PyRef places_of(PyObject* index, const Layout& layout) {
    const PyRef given = array_of(index);
    if (!given || layout.ndim() == 0 || layout.size() == 0) return {};
    PyArrayObject* const array = as_array(given.get());
    if (!PyArray_ISCARRAY_RO(array)) return {};
    const int dtype = PyArray_TYPE(array), ndim = PyArray_NDIM(array);
    if (dtype == NPY_BOOL && ndim > 0) return places_of_mask(array, layout);
    return dtype == NPY_INT64 && ndim == 1 ? places_of_integers(array, layout) : PyRef{};
}

/// `target[index] = value` of rows that an array of integers lists, or a mask; false where this is
/// not for the fast path.
bool set_rows(Tensor& target, PyObject* index, PyObject* value) {
    const Layout& layout = target.layout;
    if (target.base) return false;
    const PyRef places = places_of(index, layout);
    if (!places) return false;
    PyArrayObject* const picked = as_array(places.get());
    const auto rows = static_cast<std::size_t>(PyArray_DIM(picked, 0));
    const Layout part = Layout::c_order(layout.dtype(), PyArray_NDIM(picked), PyArray_DIMS(picked));
    const Ref<Tensor> values = Tensor::allocate(part);
    SweepInput input{};
    if (rows == 0 || !read_value(value, *values, input)) return false;
    const bool recorded = is_recorded(target, value);
    if (recorded && !may_record(target)) return false;
    write(*values, input);
    const auto* place = static_cast<const std::int64_t*>(PyArray_DATA(as_array(places.get())));
    const std::size_t item = item_size(layout.dtype());
    const std::size_t width = static_cast<std::size_t>(part.size()) / rows;
    for (std::size_t row = 0; row < rows; ++row) {
        std::memcpy(
            static_cast<char*>(target.data()) + static_cast<std::size_t>(place[row * width]) * item,
            static_cast<const char*>(values->data()) + row * width * item, width * item);
    }
    target.storage->count_write("x[index] = value");
    if (!recorded) return true;
    static PyObject* region = nullptr;
    import_once(region, "pullback.engine.primitives.regions", "Region");
    const PyRef written = checked(PyObject_CallFunctionObjArgs(
        region, tuple_of(layout.extents()).get(), tuple_of(part.extents()).get(),
        checked(PyLong_FromLong(0)).get(), Py_None, places.get(), nullptr));
    rebase(target, value, written.get());
    return true;
}

/// `target[index] = value` without Python; false where nothing was done.
bool set(Tensor& target, PyObject* index, PyObject* value) {
    const bool special =
        !switches.takes(FastPath::set_item) || target.storage->inference || target.stale();
    if (special || !is_plain(target.layout) || !writable(target)) return false;
    return set_part(target, index, value) || set_rows(target, index, value);
}

}  // namespace

PyObject* set_item(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    return to_python([&] {
        if (count == 2 && set(*Tensor::cast(self), args[0], args[1])) return Py_NewRef(Py_None);
        static PyObject* methods = nullptr;
        import_once(methods, "pullback.engine.tensor.methods", "TensorMethods");
        const PyRef general = attribute(methods, "__setitem__");
        std::vector<PyObject*> all = {self};
        all.insert(all.end(), args, args + count);
        return PyObject_Vectorcall(general.get(), all.data(), all.size(), nullptr);
    });
}

}  // namespace pullback
