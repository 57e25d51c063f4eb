#include "fast_paths/named_operator.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/attribute_forms.h"
#include "dispatch/arguments.h"
#include "fast_paths/axis_views.h"
#include "fast_paths/inplace.h"
#include "fast_paths/small_pointwise.h"

namespace pullback {

unsigned NamedOperator::generation = 1;

[[gnu::noinline]] void NamedOperator::resolve() {
    const PyRef find = import_from("pullback.engine.native.named_operators", "operator_of");
    const unsigned now = generation;
    const PyRef found = checked(PyObject_CallFunction(find.get(), "si", name_, int{whole_}));
    const PyRef before = PyRef::steal(std::exchange(operator_, nullptr));
    const PyRef function_before = PyRef::steal(std::exchange(function_, nullptr));
    const PyRef written_before = PyRef::steal(std::exchange(written_, nullptr));
    info_ = of_floats_ = nullptr;
    positions_.clear();
    if (PyFunction_Check(found.get())) {
        written_ = Py_NewRef(found.get());
    } else if (PyCallable_Check(found.get())) {
        function_ = Py_NewRef(found.get());
    } else if (found.get() != Py_None) {
        const PyRef names = checked(PySequence_GetItem(found.get(), 1));
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.get()); ++i) {
            PyObject* name = Py_NewRef(PyTuple_GET_ITEM(names.get(), i));
            PyUnicode_InternInPlace(&name);
            positions_.push_back(PyRef::steal(name));
        }
        operator_ = checked(PySequence_GetItem(found.get(), 0)).release();
        constexpr Py_ssize_t kFunction = 2;
        if (PyTuple_GET_SIZE(found.get()) > kFunction) {
            function_ = Py_NewRef(PyTuple_GET_ITEM(found.get(), kFunction));
            of_floats_ = &OperatorInfo::of(operator_);
        } else {
            info_ = &OperatorInfo::of(operator_);
        }
    }
    if (function_ != nullptr) {
        const PyRef operands = checked(PyObject_GetAttrString(function_, "nin"));
        operands_ = PyLong_AsSize_t(operands.get());
    }
    generation_ = now;
}

PyObject* NamedOperator::call(std::span<PyObject* const> args) {
    try {
        OperatorInfo* const found = info();
        if (found != nullptr) [[likely]] {
            if (PyObject* result = call_small_pointwise(*found, args)) [[likely]]
                return result;
        }
        return call_generally(args);
    } catch (const ErrorSet&) {
        return nullptr;
    }
}

namespace {

/// `call_form` for attributes that are given by position.
PyObject* form_in_order(OperatorInfo& info, std::span<PyObject* const> args, PyObject* names,
                        std::span<const PyRef> positions) {
    if (!info.forms) return nullptr;
    PyObject* keywords[AttributeForm::kMost];
    PyObject* given[AttributeForm::kMost];
    const std::size_t extra = args.size() - 1;
    const std::size_t count = extra + (names == nullptr ? 0 : std::size_t(PyTuple_GET_SIZE(names)));
    if (extra > positions.size() || count > AttributeForm::kMost) return nullptr;
    // Without attributes by position this has been tried, but where somebody observes.
    if (extra == 0 && switches.observer == nullptr) return nullptr;
    for (std::size_t i = 0; i < count; ++i) {
        keywords[i] = i < extra ? positions[i].get()
                                : PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i - extra));
        given[i] = args.data()[i + 1];
    }
    return call_form(info, args.first(1), {keywords, count}, given);
}

/// The call of an operator whose arguments need no Python to be sorted: its form for these
/// attributes, a view, or the general one. NULL where they do. Throws ErrorSet.
PyObject* call_bound(OperatorInfo& info, std::span<PyObject* const> args, PyObject* names,
                     std::span<const PyRef> positions) {
    PyRef formed = PyRef::steal(form_in_order(info, args, names, positions));
    if (formed && switches.observer == nullptr) return formed.release();
    PyRef inputs, attributes;
    if (!bind_in_order(info, args, names, positions, inputs, attributes)) return nullptr;
    if (formed) {
        observe_form(info, inputs, attributes.get(), formed);
        return formed.release();
    }
    if (PyObject* const input = PyTuple_GET_ITEM(inputs.get(), 0); Tensor::check(input)) {
        Ref<Tensor> view = axis_view(info, *Tensor::cast(input), Attributes(attributes.get()));
        if (view) return view.release_object();
    }
    return apply_bound(info, inputs, attributes.get()).release();
}

/// True for floats and Python's numbers, which take the dtype of the other operand.
bool are_floats(std::span<PyObject* const> args) {
    return std::all_of(args.begin(), args.end(), [](PyObject* value) {
        if (Tensor::check(value)) return is_float(Tensor::cast(value)->layout.dtype());
        return PyFloat_CheckExact(value) || PyLong_CheckExact(value);
    });
}

}  // namespace

PyObject* NamedOperator::call_in_order(std::span<PyObject* const> args, PyObject* names) {
    OperatorInfo* const found = info();
    if (found != nullptr) return call_bound(*found, args, names, positions_);
    if (written_ != nullptr && is_for_tensors(args, names)) {
        const PyRef called = PyRef::borrow(written_);
        PyObject* result = PyObject_Vectorcall(called.get(), args.data(), args.size(), names);
        if (result == nullptr) throw ErrorSet{};
        return result;
    }
    // One operand more is an `out`.
    if (function_ == nullptr || names != nullptr || args.size() != operands_) return nullptr;
    if (of_floats_ != nullptr && are_floats(args)) {
        PyObject* result = call_small_pointwise(*of_floats_, args);
        return result != nullptr ? result : call_bound(*of_floats_, args, nullptr, positions_);
    }
    return call_unrecorded(args);
}

PyObject* NamedOperator::call_unrecorded(std::span<PyObject* const> args) {
    constexpr std::size_t kMost = 2;
    PyObject* arrays[kMost];
    bool on_tensors = false;
    if (args.size() > kMost || switches.observer != nullptr) return nullptr;
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (Tensor::check(args[i])) {
            // The sign of a complex number is not constant.
            if (is_complex(Tensor::cast(args[i])->layout.dtype())) return nullptr;
            arrays[i] = Tensor::cast(args[i])->array();
            on_tensors = true;
        } else if (PyArray_CheckExact(args[i]) || PyFloat_CheckExact(args[i]) ||
                   PyLong_CheckExact(args[i])) {
            arrays[i] = args[i];
        } else {
            return nullptr;
        }
    }
    if (!on_tensors) return nullptr;
    PyRef result = checked(PyObject_Vectorcall(function_, arrays, args.size(), nullptr));
    return Tensor::of_array(to_array(std::move(result)), nullptr).release_object();
}

/// True for a value whose type says by ``__array_ufunc__ = None`` that operators are its own.
static bool has_own_operators(PyObject* value) {
    if (Tensor::check(value) || PyFloat_CheckExact(value) || PyLong_CheckExact(value) ||
        PyArray_CheckExact(value)) {
        return false;
    }
    PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(value));
    const PyRef found = PyRef::steal(PyObject_GetAttrString(type, "__array_ufunc__"));
    PyErr_Clear();
    return found.get() == Py_None;
}

[[gnu::noinline]] PyObject* NamedOperator::call_generally(std::span<PyObject* const> args) {
    if (has_own_operators(args.front()) || has_own_operators(args.back())) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (PyObject* result = call_in_order(args, nullptr)) return result;
    static PyObject* python = nullptr;
    import_once(python, "pullback.engine.calls.call", "call_generally");
    const PyRef name = checked(PyUnicode_InternFromString(name_));
    PyObject* stack[] = {name.get(), args[0], args[args.size() - 1]};
    return PyObject_Vectorcall(python, stack, 1 + args.size(), nullptr);
}

namespace {

template <NamedOperator& op>
[[gnu::flatten]] PyObject* binary(PyObject* a, PyObject* b) {
    PyObject* const args[] = {a, b};
    return op.call(args);
}

template <NamedOperator& op>
PyObject* unary(PyObject* a) {
    return op.call({&a, 1});
}

NamedOperator add("add"), subtract("subtract"), multiply("multiply"), divide("divide"),
    power("power"), remainder("remainder"), floor_divide("floor_divide"), matmul("matmul"),
    negative("negative"), positive("positive"), absolute("abs"), square("square"),
    square_root("sqrt"), reciprocal("reciprocal"), cube("cube", false);

InPlace iadd{NamedOperator("add"), "x += value", "__iadd__"};
InPlace isub{NamedOperator("subtract"), "x -= value", "__isub__"};
InPlace imul{NamedOperator("multiply"), "x *= value", "__imul__"};
InPlace idiv{NamedOperator("divide"), "x /= value", "__itruediv__"};

template <InPlace& operation>
PyObject* in_place(PyObject* self, PyObject* other) {
    return operation.call(self, other);
}

PyObject* to_power(PyObject* a, PyObject* b, PyObject* modulus) {
    if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
    const bool is_number = PyLong_CheckExact(b) || PyFloat_CheckExact(b);
    if (is_number && Tensor::check(a) && is_float(Tensor::cast(a)->layout.dtype())) {
        // As NumPy, which calls another function where there is one.
        double exponent = PyFloat_AsDouble(b);
        if (exponent == -1.0 && PyErr_Occurred()) {  // a whole number that no double holds
            PyErr_Clear();
            exponent = 0.0;
        }
        if (exponent == 2.0) return unary<square>(a);
        if (exponent == 0.5) return unary<square_root>(a);
        if (exponent == -1.0) return unary<reciprocal>(a);
        if (exponent == 3.0) return unary<cube>(a);
    }
    return binary<power>(a, b);
}

/// `x < y` and its like.
PyObject* compare(PyObject* a, PyObject* b, int how) {
    static NamedOperator operators[] = {
        // in the order of Py_LT and so on
        NamedOperator("less"),      NamedOperator("less_equal"), NamedOperator("equal"),
        NamedOperator("not_equal"), NamedOperator("greater"),    NamedOperator("greater_equal"),
    };
    static const char* const methods[] = {"__lt__", "__le__", "__eq__",
                                          "__ne__", "__gt__", "__ge__"};
    return to_python([&]() -> PyObject* {
        PyObject* const args[] = {a, b};
        if (has_own_operators(b)) Py_RETURN_NOTIMPLEMENTED;
        if (PyObject* result = operators[how].call_in_order(args, nullptr)) return result;
        static PyObject* general = nullptr;
        import_once(general, "pullback.engine.tensor.methods", "TensorMethods");
        const PyRef method = attribute(general, methods[how]);
        return PyObject_Vectorcall(method.get(), args, 2, nullptr);
    });
}

/// By identity: a type that compares has none of its own.
Py_hash_t hash(PyObject* self) { return PyBaseObject_Type.tp_hash(self); }

template <typename F>
PyType_Slot slot(int name, F* function) {
    return {name, reinterpret_cast<void*>(function)};
}

}  // namespace

std::span<const PyType_Slot> number_slots() {
    static const PyType_Slot slots[] = {
        slot(Py_nb_add, binary<add>),
        slot(Py_nb_subtract, binary<subtract>),
        slot(Py_nb_multiply, binary<multiply>),
        slot(Py_nb_true_divide, binary<divide>),
        slot(Py_nb_remainder, binary<remainder>),
        slot(Py_nb_floor_divide, binary<floor_divide>),
        slot(Py_nb_power, to_power),
        slot(Py_nb_matrix_multiply, binary<matmul>),
        slot(Py_nb_inplace_add, in_place<iadd>),
        slot(Py_nb_inplace_subtract, in_place<isub>),
        slot(Py_nb_inplace_multiply, in_place<imul>),
        slot(Py_nb_inplace_true_divide, in_place<idiv>),
        slot(Py_nb_negative, unary<negative>),
        slot(Py_nb_positive, unary<positive>),
        slot(Py_nb_absolute, unary<absolute>),
        slot(Py_tp_richcompare, compare),
        slot(Py_tp_hash, hash),
    };
    return slots;
}

}  // namespace pullback
