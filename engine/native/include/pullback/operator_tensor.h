// The tensor of operators that are written in C++: a counted handle of an engine's value.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pullback/attribute.h"
#include "pullback/engine_api.h"

// Each library of operators is given its engine by whoever loads it.
#if defined(__GNUC__)
#define PULLBACK_OWN __attribute__((visibility("hidden")))
#else
#define PULLBACK_OWN
#endif

namespace pullback {
namespace detail {

PULLBACK_OWN inline const pb_engine_api* table = nullptr;

inline const pb_engine_api& api() {
    if (table == nullptr) throw Error("RuntimeError: this library of operators is not loaded yet");
    return *table;
}

template <typename Value>
Value* checked(Value* value) {
    if (value == nullptr) throw Error(api().error());
    return value;
}
inline int checked(int status) {
    if (status < 0) throw Error(api().error());
    return status;
}

/// True if a backward runs whose steps are recorded: reading memory would leave the record.
PULLBACK_OWN constinit inline thread_local bool recorded_backward = false;

template <typename T>
constexpr DLDataType dtype_of() {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                  std::is_same_v<T, std::int64_t> || std::is_same_v<T, bool>);
    if constexpr (std::is_same_v<T, bool>) return {kDLBool, 8, 1};
    return {std::is_floating_point_v<T> ? std::uint8_t{kDLFloat} : std::uint8_t{kDLInt},
            8 * sizeof(T), 1};
}

}  // namespace detail

/// A tensor, or a number in the place of one. Copies share it. One made of nothing is empty: an
/// argument or a gradient that is not there.
class Tensor {
  public:
    Tensor() = default;
    /// A number: it takes the type of the tensors that it meets.
    Tensor(double number) : value_(detail::checked(detail::api().number(number))) {}
    template <std::integral Integer>
    Tensor(Integer number) : Tensor(static_cast<double>(number)) {}
    /// Values in C order, of float, double or int64_t.
    template <typename T>
    Tensor(const std::vector<T>& values, const Shape& shape)
        : value_(make(values.data(), values.size(), detail::dtype_of<T>(), shape)) {
        static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no memory to copy");
    }
    Tensor(std::initializer_list<double> values, const Shape& shape)
        : Tensor(std::vector<double>(values), shape) {}

    /// Takes over a value that the caller owns.
    static Tensor adopt(pb_value* value) {
        Tensor tensor;
        tensor.value_ = value;
        return tensor;
    }
    /// Shares a value that somebody else owns.
    static Tensor share(pb_value* value) {
        if (value != nullptr) detail::table->retain(value);
        return adopt(value);
    }
    /// A tensor whose values are to be written: to `data`.
    static Tensor empty(const Like& like) {
        return adopt(detail::checked(detail::api().make(
            nullptr, like.dtype, static_cast<std::int32_t>(like.shape.size()), like.shape.data())));
    }

    Tensor(const Tensor& other) : value_(other.value_) {
        if (value_ != nullptr) detail::table->retain(value_);
    }
    Tensor(Tensor&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    Tensor& operator=(Tensor other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~Tensor() {
        if (value_ != nullptr) detail::table->release(value_);
    }

    /// True if it is not empty.
    explicit operator bool() const { return value_ != nullptr; }
    pb_value* get() const { return value_; }
    /// Gives the value up: the caller owns it.
    pb_value* release() { return std::exchange(value_, nullptr); }

    Shape shape() const {
        const DLTensor tensor = described();
        return {tensor.shape, tensor.shape + tensor.ndim};
    }
    int ndim() const { return described().ndim; }
    std::int64_t size() const {
        const DLTensor tensor = described();
        std::int64_t product = 1;
        for (int axis = 0; axis < tensor.ndim; ++axis) product *= tensor.shape[axis];
        return product;
    }
    DLDataType dtype() const { return described().dtype; }
    bool requires_grad() const {
        return value_ != nullptr && detail::checked(detail::api().requires_grad(value_)) != 0;
    }
    /// The same memory without history.
    Tensor detach() const { return adopt(detail::checked(detail::api().detach(value_))); }

    /// The values in C order, as double.
    std::vector<double> values() const {
        const DLTensor tensor = readable();
        std::vector<double> result;
        collect(tensor, 0, 0, result);
        return result;
    }
    /// The only value.
    double item() const {
        const std::vector<double> all = values();
        if (all.size() != 1) throw Error("ValueError: item() of a tensor of several values");
        return all[0];
    }
    /// The memory of a tensor of T in C order, to read; `contiguous(x)` puts one in C order.
    template <typename T>
    const T* data() const {
        return static_cast<const T*>(memory(readable(), detail::dtype_of<T>()));
    }
    /// To write, into what `empty` made.
    template <typename T>
    T* data() {
        if (requires_grad()) throw Error("RuntimeError: writing into a tensor that requires grad");
        return static_cast<T*>(memory(described(), detail::dtype_of<T>()));
    }

    /// Shape, dtype and memory, for those that call kernels. Of a number: an error.
    DLTensor view() const { return readable(); }

  private:
    DLTensor described() const {
        if (value_ == nullptr) throw Error("TypeError: an empty tensor");
        DLTensor tensor;
        detail::checked(detail::api().view(value_, &tensor));
        return tensor;
    }

    /// A view whose memory may be read: not in a derivative that is to be differentiated, where
    /// what is computed of bare memory would look like a constant.
    DLTensor readable() const {
        if (detail::recorded_backward && requires_grad()) {
            throw Error(
                "NotDifferentiableError: this backward reads the memory of a tensor that requires "
                "grad, so it cannot be differentiated. Write it with operators, or make what reads "
                "memory an operator of its own");
        }
        return described();
    }

    static pb_value* make(const void* data, std::size_t size, DLDataType dtype,
                          const Shape& shape) {
        std::size_t wanted = 1;
        for (const std::int64_t extent : shape) wanted *= static_cast<std::size_t>(extent);
        if (wanted != size) {
            throw Error("ValueError: " + std::to_string(size) + " values for a shape of " +
                        std::to_string(wanted));
        }
        return detail::checked(
            detail::api().make(data, dtype, static_cast<std::int32_t>(shape.size()), shape.data()));
    }

    static void* memory(const DLTensor& tensor, DLDataType dtype) {
        if (tensor.dtype.code != dtype.code || tensor.dtype.bits != dtype.bits) {
            throw Error("TypeError: data() of another type than the tensor's");
        }
        if (tensor.strides != nullptr) throw Error("ValueError: data() of a tensor not in C order");
        return tensor.data;
    }

    static double element(const DLTensor& tensor, std::int64_t at) {
        if (tensor.dtype.code == kDLBool) return static_cast<const bool*>(tensor.data)[at];
        if (tensor.dtype.code == kDLInt && tensor.dtype.bits == 64) {
            return static_cast<double>(static_cast<const std::int64_t*>(tensor.data)[at]);
        }
        if (tensor.dtype.code != kDLFloat || tensor.dtype.bits < 32) {
            throw Error(
                "TypeError: values() of a tensor that is not of bool, int64, float32 or float64");
        }
        return tensor.dtype.bits == 32
                   ? static_cast<double>(static_cast<const float*>(tensor.data)[at])
                   : static_cast<const double*>(tensor.data)[at];
    }

    static void collect(const DLTensor& tensor, int axis, std::int64_t offset,
                        std::vector<double>& result) {
        if (axis == tensor.ndim) {
            result.push_back(element(tensor, offset));
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

using Tensors = std::vector<Tensor>;

/// Shape and dtype of a tensor.
inline Like like(const Tensor& tensor) { return {tensor.dtype(), tensor.shape()}; }

/// An attribute by its name: `{"axis", 0}`.
struct Named {
    const char* name;
    Attribute value;
};

/// An operator by its name: `NamedOperator tanh("tanh")`.
class NamedOperator {
  public:
    explicit NamedOperator(const char* name)
        : function_(detail::checked(detail::api().find(name))) {}
    explicit NamedOperator(pb_function* function) : function_(function) {}

    /// Of tensors alone.
    template <std::same_as<Tensor>... Arguments>
    Tensor operator()(const Arguments&... arguments) const {
        pb_value* const values[] = {arguments.get()...};
        pb_value* result = nullptr;
        const int status =
            detail::api().call(function_, values, sizeof...(arguments), nullptr, 0, &result, 1);
        if (status < 0) throw Error(detail::table->error());
        return Tensor::adopt(result);
    }
    Tensor operator()(std::initializer_list<pb_value*> arguments,
                      std::initializer_list<Named> attributes = {}) const {
        return one({arguments.begin(), arguments.size()}, attributes);
    }
    /// Of a list of tensors.
    Tensor operator()(const Tensors& arguments,
                      std::initializer_list<Named> attributes = {}) const {
        std::vector<pb_value*> values;
        for (const Tensor& argument : arguments) values.push_back(argument.get());
        return one(values, attributes);
    }

    Tensors call(std::span<const Tensor> arguments, std::span<const Named> attributes,
                 std::size_t n_results) const {
        std::vector<pb_value*> values, results(n_results);
        for (const Tensor& argument : arguments) values.push_back(argument.get());
        std::vector<pb_attribute> given;
        for (const Named& attribute : attributes) {
            given.push_back(attribute.value.c(attribute.name));
        }
        detail::checked(detail::api().call(function_, values.data(), values.size(), given.data(),
                                           given.size(), results.data(), n_results));
        Tensors made;
        for (pb_value* result : results) made.push_back(Tensor::adopt(result));
        return made;
    }

  private:
    Tensor one(std::span<pb_value* const> values, std::initializer_list<Named> attributes) const {
        constexpr std::size_t kMost = 4;  // attributes of an operator
        pb_attribute given[kMost];
        std::size_t count = 0;
        for (const Named& attribute : attributes) {
            if (count == kMost) throw Error("TypeError: more attributes than an operator has");
            given[count++] = attribute.value.c(attribute.name);
        }
        pb_value* result = nullptr;
        detail::checked(
            detail::api().call(function_, values.data(), values.size(), given, count, &result, 1));
        return Tensor::adopt(result);
    }

    pb_function* function_;
};

/// Records nothing until the end of a scope.
class NoGrad {
  public:
    NoGrad() : before_(detail::checked(detail::api().set_grad_enabled(0))) {}
    ~NoGrad() { detail::table->set_grad_enabled(before_); }
    NoGrad(const NoGrad&) = delete;
    NoGrad& operator=(const NoGrad&) = delete;

  private:
    int before_;
};

}  // namespace pullback
