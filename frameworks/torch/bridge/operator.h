/* An operator of the dispatcher, which calls the level for the kind of its arguments. */
#ifndef PULLBACK_TORCH_OPERATOR_H_
#define PULLBACK_TORCH_OPERATOR_H_

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <torch/library.h>

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>

#include "node.h"
#include "python.h"

namespace pullback_torch {

enum class Argument : int64_t { kTensor, kList, kNumber, kFixed };

/* Facts of a call that kernels are made for, as a key of their table. */
using Facts = c10::SmallVector<int64_t, 12>;

struct HashOfFacts {
    size_t operator()(const Facts& facts) const {
        uint64_t hash = facts.size();
        for (const int64_t one : facts) {
            hash = (hash ^ static_cast<uint64_t>(one)) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 29;
        }
        return static_cast<size_t>(hash);
    }
};

inline PyObject* plain_object(const c10::IValue& value) {
    if (value.isInt()) return PyLong_FromLongLong(value.toInt());
    if (value.isBool()) return PyBool_FromLong(value.toBool());
    if (value.isDouble()) return PyFloat_FromDouble(value.toDouble());
    if (value.isString()) {
        return PyUnicode_FromStringAndSize(value.toStringRef().data(),
                                           static_cast<Py_ssize_t>(value.toStringRef().size()));
    }
    if (value.isList()) {
        const auto values = value.toListRef();
        PyObject* made = PyTuple_New(static_cast<Py_ssize_t>(values.size()));
        for (size_t k = 0; made != nullptr && k < values.size(); ++k) {
            PyTuple_SET_ITEM(made, static_cast<Py_ssize_t>(k), plain_object(values[k]));
        }
        return made;
    }
    return Py_NewRef(Py_None);
}

struct Operator {
    std::string name;
    PyObject* owner = nullptr;
    std::vector<Argument> arguments;
    std::vector<std::optional<c10::IValue>> defaults;  // of the arguments
    size_t positional = 0;                             // arguments that need no keyword
    bool ranks = false;
    int64_t results = 0;
    std::unique_ptr<torch::Library> library;
    std::optional<c10::OperatorHandle> op_by_op;
    std::mutex guard;
    std::unordered_map<Facts, Level*, HashOfFacts> versions;  // none is ever taken out
    std::atomic<const std::pair<const Facts, Level*>*> last{
        nullptr};  // the version of the last call

    Level* version(const Facts& facts, const torch::jit::Stack& stack, size_t first);
};

inline Level* Operator::version(const Facts& facts, const torch::jit::Stack& stack, size_t first) {
    const auto* same = last.load(std::memory_order_acquire);
    if (same != nullptr && same->first == facts) return same->second;
    {
        const std::lock_guard lock(guard);
        const auto found = versions.find(facts);
        if (found != versions.end()) {
            last.store(&*found, std::memory_order_release);
            return found->second;
        }
    }
    int64_t address = 0;
    {
        const Gil gil;
        const Object given = checked(PyList_New(static_cast<Py_ssize_t>(arguments.size())));
        for (size_t k = 0; k < arguments.size(); ++k) {
            const c10::IValue& value = stack[first + k];
            PyObject* one = nullptr;
            if (arguments[k] == Argument::kTensor && value.isTensor() &&
                value.toTensor().defined()) {
                one = THPVariable_Wrap(value.toTensor());
            } else if (arguments[k] == Argument::kList) {
                one = list_of(value.toTensorVector()).release();
            } else {
                one = plain_object(value);
            }
            PyList_SET_ITEM(given.get(), static_cast<Py_ssize_t>(k), checked(one).release());
        }
        const Object found = checked(PyObject_CallMethod(owner, "version", "O", given.get()));
        address = PyLong_AsLongLong(found.get());
        if (address == -1 && PyErr_Occurred() != nullptr) checked(nullptr);
    }
    const std::lock_guard lock(guard);
    return versions.try_emplace(facts, reinterpret_cast<Level*>(address)).first->second;
}

/* Adds a tensor to a call; false where kernels take no such one, or not beside the others. */
inline bool add(const Tensor& x, const Operator& op, Facts& facts, Values& values,
                at::ScalarType& common) {
    if (!is_plain(x) || (!values.empty() && x.device() != values[0].tensor.device())) return false;
    const auto type = x.scalar_type();
    if (type != at::kBool) {
        if (common != at::ScalarType::Undefined && common != type) return false;
        common = type;
    }
    facts.push_back(static_cast<int64_t>(type) * 16 + (op.ranks ? x.dim() : 0));
    Value& value = values.emplace_back();
    value.kind = Kind::kTensor;
    value.tensor = x;
    return true;
}

/* A number, and None by the same one and another: no fact of it is one of the number's. */
constexpr int64_t kNone = INT64_MIN;

inline void add(int64_t number, Facts& facts) {
    facts.push_back(number);
    if (number == kNone) facts.push_back(1);
}

inline void add(const c10::IValue& value, Facts& facts) {
    if (value.isInt() || value.isBool()) {
        add(value.isInt() ? value.toInt() : int64_t{value.toBool()}, facts);
    } else if (value.isDouble()) {
        add(of_double(value.toDouble()), facts);
    } else if (value.isString()) {
        facts.push_back(static_cast<int64_t>(value.toStringRef().size()));
        for (const char letter : value.toStringRef()) facts.push_back(letter);
    } else if (value.isList()) {
        const auto values = value.toListRef();
        facts.push_back(static_cast<int64_t>(values.size()));
        for (const c10::IValue& one : values) add(one, facts);
    } else {
        facts.append({kNone, 0});
    }
}

/* The call by a kernel; false where there is none. */
inline bool by_kernel(Operator& op, torch::jit::Stack& stack, bool may_record) {
    if (c10::impl::TorchDispatchModeTLS::any_modes_set()) return false;
    const size_t first = stack.size() - op.arguments.size();
    Facts facts;
    Values tensors, numbers;
    auto common = at::ScalarType::Undefined;
    for (size_t k = 0; k < op.arguments.size(); ++k) {
        const c10::IValue& value = stack[first + k];
        switch (op.arguments[k]) {
            case Argument::kTensor:
                if (!value.isTensor() || !value.toTensor().defined()) {
                    facts.push_back(-1);
                } else if (!add(value.toTensor(), op, facts, tensors, common)) {
                    return false;
                }
                break;
            case Argument::kList: {
                const auto values = value.toListRef();
                facts.push_back(static_cast<int64_t>(values.size()));
                for (const c10::IValue& one : values) {
                    if (!add(one.toTensor(), op, facts, tensors, common)) return false;
                }
                break;
            }
            case Argument::kNumber: {
                if (!value.isDouble()) return false;
                Value& number = numbers.emplace_back();
                number.kind = Kind::kDouble;
                number.spec.shape[0] = of_double(value.toDouble());
                break;
            }
            case Argument::kFixed:
                add(value, facts);
        }
    }
    if (common == at::ScalarType::Undefined) return false;
    // Kernels are compiled for one kind of GPU.
    const c10::Device device = tensors[0].tensor.device();
    facts.push_back(device.is_cpu() ? -1 : device.index());
    Level* level = op.version(facts, stack, first);
    if (level == nullptr) return false;
    bool record = false;
    if (may_record && at::GradMode::is_enabled()) {
        for (const Value& value : tensors) record = record || value.tensor.requires_grad();
    }
    // Tensors first: Python orders a level's arguments so.
    tensors.append(numbers.begin(), numbers.end());
    uint64_t wanted = 0;
    for (size_t k = 0; k < level->positions.size(); ++k) {
        if (level->positions[k] < level->results) wanted |= uint64_t{1} << k;
    }
    Tensors outputs;
    if (!call(*level, tensors, wanted, record, outputs)) return false;
    torch::jit::drop(stack, op.arguments.size());
    for (int64_t k = 0; k < op.results; ++k)
        stack.emplace_back(std::move(outputs[static_cast<size_t>(k)]));
    return true;
}

/* What the dispatcher calls. */
struct Dispatched final : c10::OperatorKernel {
    Dispatched(Operator& op, c10::DispatchKey key) : op_(op), key_(key) {}

    void operator()(const c10::OperatorHandle&, c10::DispatchKeySet keys,
                    torch::jit::Stack* stack) {
        const bool may_record =
            key_ == c10::DispatchKey::AutogradCPU || key_ == c10::DispatchKey::AutogradCUDA;
        if (by_kernel(op_, *stack, may_record)) return;
        op_.op_by_op->redispatchBoxed(keys, stack);
    }

  private:
    Operator& op_;
    c10::DispatchKey key_;
};

}  // namespace pullback_torch

#endif
