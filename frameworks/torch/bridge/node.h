/* A call of a level, and the node that a recorded one leaves. */
#ifndef PULLBACK_TORCH_NODE_H_
#define PULLBACK_TORCH_NODE_H_

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

#include "level.h"
#include "run.h"

namespace pullback_torch {

using torch::autograd::Edge;
using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

inline bool call(Level& level, c10::ArrayRef<Value> arguments, uint64_t wanted, bool record,
                 Tensors& outputs);

/* The backward of a level's call. */
struct KernelNode final : Node {
    explicit KernelNode(Level& level) : level_(level) {}

    std::string name() const override { return level_.name; }

    void release_variables() override {
        const std::lock_guard lock(guard_);
        released_ = true;
        tensors_.clear();
    }

    /* Saves what the backward reads: tensors as saved variables, all else as it is. */
    void save(c10::ArrayRef<Value> arguments, const Tensors& outputs, c10::ArrayRef<Value> plain) {
        tensors_.reserve(level_.saved.size());
        values_.resize(level_.saved.size());
        for (size_t k = 0; k < level_.saved.size(); ++k) {
            const SavedPlace& place = level_.saved[k];
            const auto position = static_cast<size_t>(place.position);
            if (place.source == Source::kPlain && plain[position].kind == Kind::kTensor) {
                save(k, plain[position].tensor, false);
            } else if (place.source == Source::kPlain) {
                values_[k] = plain[position];
            } else if (place.source == Source::kArgument) {
                if (arguments[position].kind == Kind::kTensor)
                    save(k, arguments[position].tensor, false);
            } else if (outputs[position].defined()) {
                save(k, outputs[position], level_.differentiable[position] != 0);
            }
        }
    }

    variable_list apply(variable_list&& gradients) override {
        const std::lock_guard lock(guard_);
        TORCH_CHECK(!released_ || level_.saved.empty(), torch::autograd::ERR_BACKWARD_TWICE);
        uint64_t defined = 0, needed = 0;
        bool plain = !c10::impl::TorchDispatchModeTLS::any_modes_set();
        for (size_t k = 0; k < gradients.size(); ++k) {
            if (!gradients[k].defined()) continue;
            defined |= uint64_t{1} << k;
            plain = plain && is_plain(gradients[k]);
        }
        variable_list found(num_outputs());
        if (defined == 0) return found;
        for (uint32_t k = 0; k < num_outputs(); ++k) {
            if (task_should_compute_output(k)) needed |= uint64_t{1} << k;
        }
        Values values(values_.begin(), values_.end());
        bool record = false;
        size_t next = 0;
        for (size_t k = 0; k < values.size(); ++k) {
            if (values[k].kind != Kind::kTensor) continue;
            values[k].tensor = tensors_[next++].unpack(getptr());
            plain = plain && is_plain(values[k].tensor);
            record = record || values[k].tensor.requires_grad();
        }
        for (const Tensor& gradient : gradients)
            record = record || (gradient.defined() && gradient.requires_grad());
        record = record && at::GradMode::is_enabled();
        if (plain) {
            const Plan& plan = level_.plan(defined, needed);
            if (plan.has_kernel && by_kernel(plan, values, gradients, record, found)) return found;
        }
        return by_python(values, gradients, needed);
    }

  private:
    void save(size_t k, const Tensor& x, bool is_output) {
        values_[k].kind = Kind::kTensor;
        tensors_.emplace_back(x, is_output);
    }

    bool by_kernel(const Plan& plan, Values& values, const variable_list& gradients, bool record,
                   variable_list& found) {
        if (record && plan.derivative == nullptr) return false;
        Value filler;
        for (const Tensor& gradient : gradients) {
            Value& value = values.emplace_back();
            if (!gradient.defined()) continue;
            value.kind = Kind::kTensor;
            value.tensor = gradient;
            if (filler.kind == Kind::kAbsent) {
                filler.kind = Kind::kPlain;
                filler.spec = like(gradient);
            }
        }
        Tensors outputs;
        if (record) {
            Values arguments;
            for (const int64_t one : plan.params)
                arguments.push_back(values[static_cast<size_t>(one)]);
            if (!call(*plan.derivative, arguments, plan.wanted, true, outputs)) return false;
        } else {
            const Value* given[kMost];
            size_t count = 0;
            for (const Entry& entry : plan.kernel.entries) {
                given[count++] =
                    entry.value < 0 ? &filler : &values[static_cast<size_t>(entry.value)];
            }
            Specs plain;
            if (!run(plan.kernel, given, plan.wanted, outputs, plain)) return false;
        }
        for (size_t k = 0; k < plan.slots.size(); ++k) {
            if (plan.slots[k] >= 0 && (plan.wanted >> k & 1) != 0) {
                found[static_cast<size_t>(plan.slots[k])] = outputs[k];
            }
        }
        return true;
    }

    variable_list by_python(const Values& values, const variable_list& gradients, uint64_t needed) {
        Values likes(num_inputs());
        for (uint32_t k = 0; k < num_inputs(); ++k) {
            if (likes_.size() > k) likes[k] = likes_[k];
        }
        const Gil gil;
        const Object saved = list_of(c10::ArrayRef<Value>(values).slice(0, level_.saved.size()));
        const Object cotangents = list_of(gradients);
        const Object shapes = list_of(likes);
        const Object made = checked(PyObject_CallMethod(level_.owner, "backward", "OOOK",
                                                        saved.get(), cotangents.get(), shapes.get(),
                                                        static_cast<unsigned long long>(needed)));
        variable_list found(num_outputs());
        TORCH_INTERNAL_ASSERT(PyList_Check(made.get()) &&
                              PyList_GET_SIZE(made.get()) ==
                                  static_cast<Py_ssize_t>(num_outputs()));
        for (uint32_t k = 0; k < num_outputs(); ++k) {
            PyObject* one = PyList_GET_ITEM(made.get(), k);
            if (one != Py_None) found[k] = THPVariable_Unpack(one);
        }
        return found;
    }

    Level& level_;
    std::mutex guard_;
    bool released_ = false;
    // With the places of few, a node is no larger than what malloc has at hand, 1032 bytes.
    c10::SmallVector<SavedVariable, 2> tensors_;
    c10::SmallVector<Value, 2> values_;

  public:
    c10::SmallVector<Value, 1> likes_;  // of results and hidden outputs
};

/* A node, which counts its references itself from PyTorch 2.12 on. */
template <typename N>
auto new_node(Level& level) {
    if constexpr (std::is_base_of_v<c10::intrusive_ptr_target, N>) {
        return c10::make_intrusive<N>(level);
    } else {
        return std::shared_ptr<N>(new N(level), [](N* node) { deleteNode(node); });
    }
}

/* True for a tensor of floats or complex numbers: others have no gradient. */
inline bool has_gradient(const Tensor& x) {
    return c10::isFloatingType(x.scalar_type()) || c10::isComplexType(x.scalar_type());
}

/* Calls a level. False where its kernel does not take the arguments. `outputs` are results and
   hidden outputs, these where the call is recorded; `wanted` says of the kernel's outputs which are
   needed. */
inline bool call(Level& level, c10::ArrayRef<Value> arguments, uint64_t wanted, bool record,
                 Tensors& outputs) {
    const Kernel& kernel = level.kernel;
    const Value* given[kMost];
    size_t count = 0;
    for (const Entry& entry : kernel.entries)
        given[count++] = &arguments[static_cast<size_t>(entry.value)];
    for (size_t k = 0; k < level.positions.size(); ++k) {
        if (level.positions[k] >= level.results && record) wanted |= uint64_t{1} << k;
    }
    Tensors made;
    Specs specs;
    if (!run(kernel, given, wanted, made, specs)) return false;
    const auto differentiable = static_cast<size_t>(level.results + level.hidden);
    outputs.assign(differentiable + level.plain.size(), Tensor());
    for (size_t k = 0; k < made.size(); ++k)
        outputs[static_cast<size_t>(level.positions[k])] = std::move(made[k]);
    if (!record) return true;

    Values plain(level.plain.size());
    for (size_t k = 0; k < plain.size(); ++k) {
        const PlainPlace& place = level.plain[k];
        const auto number = static_cast<size_t>(place.number);
        plain[k].kind = place.kind;
        if (place.place == Place::kOutput) {
            plain[k].tensor = outputs[number];
        } else if (place.place == Place::kSpec) {
            plain[k].spec = specs[number];
        } else if (place.place == Place::kArgument) {
            plain[k] = arguments[number];
        } else {
            const Tensor& x = number < arguments.size() ? arguments[number].tensor
                                                        : outputs[number - arguments.size()];
            if (place.place == Place::kNone) {
                plain[k].spec.shape[0] = !x.defined();
            } else if (!x.defined()) {
                plain[k].kind = Kind::kAbsent;
            } else if (place.place == Place::kLike) {
                plain[k].spec = like(x);
            } else {
                plain[k].spec.shape[0] =
                    place.place == Place::kSize ? x.numel() : x.dim() == place.axes;
            }
        }
    }
    auto node = new_node<KernelNode>(level);
    torch::autograd::edge_list edges;
    edges.reserve(arguments.size());
    for (const Value& value : arguments) {
        const bool has = value.kind == Kind::kTensor && value.tensor.requires_grad();
        edges.push_back(has ? torch::autograd::impl::gradient_edge(value.tensor) : Edge());
    }
    node->set_next_edges(std::move(edges));
    node->likes_.resize(differentiable);
    for (size_t k = 0; k < differentiable; ++k) {
        if (outputs[k].defined()) {
            node->likes_[k].kind = Kind::kPlain;
            node->likes_[k].spec = like(outputs[k]);
        }
        if (outputs[k].defined() && level.differentiable[k] != 0 && has_gradient(outputs[k])) {
            torch::autograd::create_gradient_edge(outputs[k], node);
        } else {
            node->add_input_metadata(Node::undefined_input());
        }
    }
    node->save(arguments, outputs, plain);
    return true;
}

}  // namespace pullback_torch

#endif
