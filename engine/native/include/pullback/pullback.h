// The native engine in a C++ program: tensors, operators, gradients of any order.
//
//     pullback::Session session;
//     const pullback::Tensor x({1.0, 2.0}, {2}, true);
//     const pullback::Tensor y = sum(x * x);
//     const pullback::Tensor dx = pullback::gradients(y, {x})[0];
//
// Link `pullback::pullback` of CMake's `find_package(pullback)`, or what `pullback config` prints.
// The engine lives in an embedded interpreter, which a Session starts: there is no Python to write,
// and there is none in the way of operators with kernels, but libpython and the package must be
// there. Everything here belongs to the thread that made the session.
#pragma once

#include <Python.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pullback/engine_api.h"

namespace pullback {

/// What the engine raised, as text: "SavedVariableError: ...".
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

namespace detail {

inline const pb_engine_api* table = nullptr;

inline const pb_engine_api& api() {
    if (table == nullptr) throw Error("make a pullback::Session first");
    return *table;
}

template <typename Value>
Value* checked(Value* value) {
    if (value == nullptr) throw Error(api().error());
    return value;
}
inline void checked(int status) {
    if (status < 0) throw Error(api().error());
}

}  // namespace detail

/// The interpreter with the engine in it, until its end. Tensors must not outlive it.
class Session {
  public:
    /// Starts Python, or joins one that runs. PULLBACK_PYTHON, which the CMake target defines, is
    /// the interpreter whose packages are used.
    Session() {
        if (!Py_IsInitialized()) {
            PyConfig config;
            PyConfig_InitPythonConfig(&config);
#ifdef PULLBACK_PYTHON
            PyConfig_SetBytesString(&config, &config.program_name, PULLBACK_PYTHON);
#endif
            const PyStatus status = Py_InitializeFromConfig(&config);
            PyConfig_Clear(&config);
            if (PyStatus_Exception(status)) throw Error("Python does not start");
            mine_ = true;
        }
        PyObject* package = PyImport_ImportModule("pullback");
        PyObject* chosen = package == nullptr
                               ? nullptr
                               : PyObject_CallMethod(package, "use_engine", "s", "native");
        void* found = chosen == nullptr ? nullptr : PyCapsule_Import(PB_ENGINE_API_CAPSULE, 0);
        Py_XDECREF(chosen);
        Py_XDECREF(package);
        if (found == nullptr) {
            PyErr_Print();
            throw Error("pullback's native engine cannot be imported");
        }
        detail::table = static_cast<const pb_engine_api*>(found);
        if (detail::table->version != PB_ENGINE_API) throw Error("another version of pullback");
    }
    ~Session() {
        if (mine_) Py_FinalizeEx();
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

  private:
    bool mine_ = false;
};

/// A tensor, or a number in the place of one. Copies share it.
class Tensor {
  public:
    Tensor() = default;
    /// A number: it takes the type of the tensors that it meets.
    Tensor(double number) : value_(detail::checked(detail::api().number(number))) {}
    /// Values in C order, of float or double.
    template <typename T>
    Tensor(const std::vector<T>& values, const std::vector<std::int64_t>& shape,
           bool requires_grad = false)
        : value_(make(values.data(), values.size(), 8 * sizeof(T), shape, requires_grad)) {
        static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
    }
    Tensor(std::initializer_list<double> values, const std::vector<std::int64_t>& shape,
           bool requires_grad = false)
        : Tensor(std::vector<double>(values), shape, requires_grad) {}

    /// Takes over a value that the caller owns.
    static Tensor adopt(pb_value* value) {
        Tensor tensor;
        tensor.value_ = value;
        return tensor;
    }

    Tensor(const Tensor& other) : value_(other.value_) {
        if (value_ != nullptr) detail::table->keep(value_);
    }
    Tensor(Tensor&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    Tensor& operator=(Tensor other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Tensor() {
        if (value_ != nullptr) detail::table->release(value_);
    }

    explicit operator bool() const { return value_ != nullptr; }
    pb_value* get() const { return value_; }

    std::vector<std::int64_t> shape() const {
        const DLTensor tensor = view();
        return {tensor.shape, tensor.shape + tensor.ndim};
    }
    /// The values in C order, as double.
    std::vector<double> values() const {
        const DLTensor tensor = view();
        std::vector<double> result;
        collect(tensor, 0, 0, result);
        return result;
    }
    /// The only value.
    double item() const {
        const std::vector<double> all = values();
        if (all.size() != 1) throw Error("item() of a tensor that is not a single value");
        return all[0];
    }

    /// Adds to the gradients of the leaves that this depends on.
    void backward() const { detail::checked(detail::api().backward(value_, nullptr, 0)); }
    void backward(const Tensor& seed, bool retain_graph = false) const {
        detail::checked(detail::api().backward(value_, seed.value_, retain_graph));
    }
    /// The accumulated gradient; empty where there is none.
    Tensor grad() const { return adopt(detail::api().grad(value_)); }
    void clear_grad() const { detail::checked(detail::api().clear_grad(value_)); }
    /// Goes `rate` down along the accumulated gradient, in place, and clears it.
    void step(double rate) const {
        const Tensor gradient = grad();
        if (!gradient) return;
        detail::checked(detail::api().step(value_, gradient.value_, rate));
        clear_grad();
    }

  private:
    DLTensor view() const {
        DLTensor tensor;
        detail::checked(detail::api().view(value_, &tensor));
        return tensor;
    }

    static pb_value* make(const void* data, std::size_t size, std::uint8_t bits,
                          const std::vector<std::int64_t>& shape, bool requires_grad) {
        std::size_t wanted = 1;
        for (const std::int64_t extent : shape) wanted *= static_cast<std::size_t>(extent);
        if (wanted != size) throw Error("shape and number of values differ");
        return detail::checked(detail::api().make(data, {kDLFloat, bits, 1},
                                                  static_cast<std::int32_t>(shape.size()),
                                                  shape.data(), requires_grad));
    }

    static void collect(const DLTensor& tensor, int axis, std::int64_t offset,
                        std::vector<double>& result) {
        if (axis == tensor.ndim) {
            if (tensor.dtype.code != kDLFloat) throw Error("values() of a tensor that is no float");
            result.push_back(
                tensor.dtype.bits == 32
                    ? static_cast<double>(static_cast<const float*>(tensor.data)[offset])
                    : static_cast<const double*>(tensor.data)[offset]);
            return;
        }
        std::int64_t stride = 1;
        if (tensor.strides != nullptr) {
            stride = tensor.strides[axis];
        } else {
            for (int inner = axis + 1; inner < tensor.ndim; ++inner) stride *= tensor.shape[inner];
        }
        for (std::int64_t i = 0; i < tensor.shape[axis]; ++i) {
            collect(tensor, axis + 1, offset + i * stride, result);
        }
    }

    pb_value* value_ = nullptr;
};

/// An operator of the library by the name of its word: `Operator tanh("tanh")`.
class Operator {
  public:
    explicit Operator(const char* word) : word_(detail::checked(detail::api().word(word))) {}

    template <typename... Tensors>
    Tensor operator()(const Tensors&... operands) const {
        pb_value* const values[] = {operands.get()...};
        return Tensor::adopt(
            detail::checked(detail::table->call(word_, values, sizeof...(operands))));
    }

  private:
    pb_word* word_;
};

inline Tensor operator+(const Tensor& a, const Tensor& b) {
    static const Operator add("add");
    return add(a, b);
}
inline Tensor operator-(const Tensor& a, const Tensor& b) {
    static const Operator subtract("subtract");
    return subtract(a, b);
}
inline Tensor operator*(const Tensor& a, const Tensor& b) {
    static const Operator multiply("multiply");
    return multiply(a, b);
}
inline Tensor operator/(const Tensor& a, const Tensor& b) {
    static const Operator divide("divide");
    return divide(a, b);
}
inline Tensor operator-(const Tensor& a) {
    static const Operator negative("negative");
    return negative(a);
}
inline Tensor matmul(const Tensor& a, const Tensor& b) {
    static const Operator product("matmul");
    return product(a, b);
}
inline Tensor sum(const Tensor& a) {
    static const Operator total("sum");
    return total(a);
}
inline Tensor exp(const Tensor& a) {
    static const Operator exponential("exp");
    return exponential(a);
}
inline Tensor tanh(const Tensor& a) {
    static const Operator tangent("tanh");
    return tangent(a);
}

/// A gradient of the output per input. With `create_graph` they can be differentiated again.
inline std::vector<Tensor> gradients(const Tensor& output, const std::vector<Tensor>& inputs,
                                     const Tensor& seed = {}, bool retain_graph = false,
                                     bool create_graph = false) {
    std::vector<pb_value*> from, found(inputs.size());
    for (const Tensor& input : inputs) from.push_back(input.get());
    detail::checked(detail::api().gradients(output.get(), seed.get(), from.data(), from.size(),
                                            retain_graph, create_graph, found.data()));
    std::vector<Tensor> result;
    for (pb_value* value : found) result.push_back(Tensor::adopt(value));
    return result;
}

/// Records nothing until the end of a scope.
class NoGrad {
  public:
    NoGrad() : before_(detail::api().set_grad_enabled(0)) { detail::checked(before_); }
    ~NoGrad() { detail::table->set_grad_enabled(before_); }
    NoGrad(const NoGrad&) = delete;
    NoGrad& operator=(const NoGrad&) = delete;

  private:
    int before_;
};

}  // namespace pullback
