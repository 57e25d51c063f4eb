#include "fast_paths/named_operator.h"

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "fast_paths/inplace.h"
#include "fast_paths/small_pointwise.h"

namespace pullback {

unsigned NamedOperator::generation = 1;

[[gnu::noinline]] void NamedOperator::resolve() {
    const PyRef find = import_from("pullback.engine.native.named_operators", "operator_of");
    const unsigned now = generation;
    PyRef found = checked(PyObject_CallFunction(find.get(), "s", name_));
    info_ = found.get() == Py_None ? nullptr : &OperatorInfo::of(found.get());
    const PyRef before = PyRef::steal(operator_);
    operator_ = found.release();
    generation_ = now;
}

namespace {

bool is_usual(PyObject* value) {
    return Tensor::check(value) || PyArray_CheckExact(value) || PyFloat_CheckExact(value) ||
           PyLong_CheckExact(value);
}

}  // namespace

PyObject* NamedOperator::call(std::span<PyObject* const> args) {
    try {
        OperatorInfo* const found = info();
        if (found != nullptr) [[likely]] {
            if (PyObject* result = call_small_pointwise(*found, args)) [[likely]]
                return result;
        }
        return call_generally(found, args);
    } catch (const ErrorSet&) {
        return nullptr;
    }
}

[[gnu::noinline]] PyObject* NamedOperator::call_generally(OperatorInfo* found,
                                                          std::span<PyObject* const> args) {
    bool usual = found != nullptr && switches.observer == nullptr && !found->has_attributes &&
                 found->n_inputs == static_cast<std::int32_t>(args.size());
    for (PyObject* value : args) usual = usual && is_usual(value);
    if (usual) return apply(*found, args).release();
    static PyObject* python = nullptr;
    import_once(python, "pullback.engine.calls.call", "call");
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
    power("power"), matmul("matmul"), negative("negative"), positive("positive"), absolute("abs"),
    square("square");

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
    // As NumPy, which squares where the exponent is 2.
    static PyObject* two = PyLong_FromLong(2);
    const bool squares = b == two && Tensor::check(a) && is_float(Tensor::cast(a)->layout.dtype());
    if (squares) return unary<square>(a);
    return binary<power>(a, b);
}

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
        slot(Py_nb_power, to_power),
        slot(Py_nb_matrix_multiply, binary<matmul>),
        slot(Py_nb_inplace_add, in_place<iadd>),
        slot(Py_nb_inplace_subtract, in_place<isub>),
        slot(Py_nb_inplace_multiply, in_place<imul>),
        slot(Py_nb_inplace_true_divide, in_place<idiv>),
        slot(Py_nb_negative, unary<negative>),
        slot(Py_nb_positive, unary<positive>),
        slot(Py_nb_absolute, unary<absolute>),
    };
    return slots;
}

}  // namespace pullback
