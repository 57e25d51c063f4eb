// Operators of one's own, with a forward and a backward in C++, for `pb.load_operator`.
//
//     Tensors forward(const Tensors& inputs) { return {inputs[0] * inputs[0] * inputs[0]}; }
//     Tensors backward(const Context& context) {
//         const Tensor x = context.input(0);
//         return {context.gradient(0) * 3.0 * x * x};
//     }
//     const pullback::Operator cube = pullback::define_operator("cube", {"x"}, forward, backward);
//
// A forward runs on values, with nothing recorded; it may work on the memory of its inputs. A
// backward is written with operators, which are recorded where a higher derivative is wanted.
//
// A value that a forward computes on the way and the backward needs again is an intermediate: named
// in the definition, returned after the results, and it has a gradient of its own, which is there
// when the backward is differentiated. So nothing that a derivative depends on is taken for a
// constant: forward and backward are functions without captures, a gradient that the backward does
// not look at is an error, and so is the memory of what must be recorded.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pullback/operator_tensor.h"

namespace pullback {

class Context;
using Forward = Tensors (*)(const Tensors& inputs);
using Backward = Tensors (*)(const Context& context);

struct OperatorOptions {
    int results = 1;
    std::vector<std::string> intermediates = {};
};

namespace detail {

struct Definition {
    std::string name;
    std::vector<std::string> inputs;
    Forward forward;
    Backward backward;
    OperatorOptions options;
    pb_function* function = nullptr;  // once an engine knows it

    std::size_t outputs() const {
        return static_cast<std::size_t>(options.results) + options.intermediates.size();
    }
};

/// Those of this library.
PULLBACK_OWN inline std::vector<std::shared_ptr<Definition>>& definitions() {
    static std::vector<std::shared_ptr<Definition>> all;
    return all;
}

}  // namespace detail

/// The arguments of a backward: inputs and outputs of the call, and the gradients of the outputs.
class Context {
  public:
    Context(const detail::Definition& definition, const pb_backward& call)
        : definition_(definition), call_(call), read_(call.n_outputs) {}

    Tensor input(std::size_t position) const { return Tensor::share(call_.inputs[position]); }
    Tensor output(std::size_t position) const { return Tensor::share(call_.outputs[position]); }
    Tensor intermediate(std::size_t position) const { return output(results() + position); }

    /// The gradient of a result: zeros where nothing depends on it.
    Tensor gradient(std::size_t position) const {
        const Tensor given = read(position);
        if (given) return given;
        static const NamedOperator zeros_like("zeros_like");
        return zeros_like(output(position));
    }
    /// The gradient of an intermediate: empty where nothing depends on it, as in a first
    /// derivative.
    Tensor gradient_of_intermediate(std::size_t position) const {
        return read(results() + position);
    }
    /// True if a gradient of the input is asked for.
    bool needs(std::size_t position) const { return call_.needed[position] != 0; }

    /// Refuses what would be a wrong derivative: a gradient that was not read.
    void check() const {
        for (std::size_t i = 0; i < read_.size(); ++i) {
            if (read_[i] || call_.gradients[i] == nullptr) continue;
            const std::string what =
                i < results() ? "result " + std::to_string(i)
                              : "intermediate " + definition_.options.intermediates[i - results()];
            throw Error("NotDifferentiableError: the backward of " + definition_.name +
                        " does not read the gradient of its " + what +
                        ", so this derivative would be wrong");
        }
    }

  private:
    Tensor read(std::size_t position) const {
        read_[position] = true;
        return Tensor::share(call_.gradients[position]);
    }
    std::size_t results() const { return static_cast<std::size_t>(definition_.options.results); }

    const detail::Definition& definition_;
    const pb_backward& call_;
    mutable std::vector<bool> read_;
};

namespace detail {

/// Runs the body; the text of what it throws, or NULL.
template <typename Body>
const char* error_of(Body&& body) {
    static thread_local std::string text;
    try {
        body();
        return nullptr;
    } catch (const std::exception& error) {
        text = error.what();
    } catch (...) {
        text = "RuntimeError: something that is no std::exception was thrown";
    }
    return text.c_str();
}

inline void hand_over(const Definition& definition, const char* function, Tensors&& made,
                      std::size_t wanted, pb_value** places) {
    if (made.size() != wanted) {
        throw Error("TypeError: the " + std::string(function) + " of " + definition.name +
                    " returned " + std::to_string(made.size()) + " tensors, not " +
                    std::to_string(wanted));
    }
    for (std::size_t i = 0; i < wanted; ++i) places[i] = made[i].release();
}

inline const char* run_forward(void* context, pb_value* const* inputs, pb_value** outputs) {
    const auto& definition = *static_cast<const Definition*>(context);
    return error_of([&] {
        const NoGrad none;
        Tensors given;
        for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
            given.push_back(Tensor::share(inputs[i]));
        }
        Tensors made = definition.forward(given);
        for (const Tensor& output : made) {
            if (!output)
                throw Error("TypeError: the forward of " + definition.name +
                            " returned an empty tensor");
        }
        hand_over(definition, "forward", std::move(made), definition.outputs(), outputs);
    });
}

inline const char* run_backward(void* context, const pb_backward* call, pb_value** gradients) {
    const auto& definition = *static_cast<const Definition*>(context);
    const bool before = std::exchange(recorded_backward, table->grad_enabled() > 0);
    const char* error = error_of([&] {
        const Context seen(definition, *call);
        Tensors made = definition.backward(seen);
        seen.check();
        hand_over(definition, "backward", std::move(made), call->n_inputs, gradients);
    });
    recorded_backward = before;
    return error;
}

/// Tells the engine of a definition, once.
inline pb_function* function_of(Definition& definition) {
    if (definition.function != nullptr) return definition.function;
    std::vector<const char*> inputs, intermediates;
    for (const std::string& name : definition.inputs) inputs.push_back(name.c_str());
    for (const std::string& name : definition.options.intermediates) {
        intermediates.push_back(name.c_str());
    }
    const pb_operator stated = {definition.name.c_str(),
                                static_cast<std::int32_t>(inputs.size()),
                                definition.options.results,
                                static_cast<std::int32_t>(intermediates.size()),
                                inputs.data(),
                                intermediates.data(),
                                &definition,
                                run_forward,
                                run_backward};
    return definition.function = checked(api().define(&stated));
}

}  // namespace detail

/// An operator that was defined here.
class Operator {
  public:
    explicit Operator(std::shared_ptr<detail::Definition> definition)
        : definition_(std::move(definition)) {}

    /// Its only result.
    template <typename... Arguments>
    Tensor operator()(const Arguments&... arguments) const {
        return call({arguments...}).front();
    }
    /// All of its results.
    Tensors call(const Tensors& arguments) const {
        if (arguments.size() != definition_->inputs.size()) {
            throw Error("TypeError: " + definition_->name + " takes " +
                        std::to_string(definition_->inputs.size()) + " inputs, not " +
                        std::to_string(arguments.size()));
        }
        return NamedOperator(detail::function_of(*definition_))
            .call(arguments, {}, static_cast<std::size_t>(definition_->options.results));
    }

  private:
    std::shared_ptr<detail::Definition> definition_;
};

/// An operator from its forward, which returns results and then the intermediates that `options`
/// names, and its backward, which returns a gradient per input: an empty tensor for zero.
inline Operator define_operator(std::string name, std::vector<std::string> inputs, Forward forward,
                                Backward backward, OperatorOptions options = {}) {
    auto definition = std::make_shared<detail::Definition>(detail::Definition{
        std::move(name), std::move(inputs), forward, backward, std::move(options)});
    detail::definitions().push_back(definition);
    return Operator(std::move(definition));
}

}  // namespace pullback

// The entry points of a library of operators, for `pullback.load_operator`.
extern "C" {

__attribute__((used, visibility("default"))) inline std::uint32_t pullback_operators_version() {
    return PB_ENGINE_API;
}

/// Makes the library's operators those of an engine. The definition's `context` of the one that is
/// asked for; NULL with the reason in `error` where that fails.
__attribute__((used, visibility("default"))) inline void* pullback_load_operator(
    const pb_engine_api* table, const char* name, const char** error) {
    pullback::detail::Definition* found = nullptr;
    *error = pullback::detail::error_of([&] {
        pullback::detail::table = table;
        std::string names;
        for (const auto& definition : pullback::detail::definitions()) {
            pullback::detail::function_of(*definition);
            if (definition->name == name) found = definition.get();
            names += (names.empty() ? "" : ", ") + definition->name;
        }
        if (found == nullptr) {
            throw pullback::Error("KeyError: this library defines no operator " +
                                  std::string(name) + ", it defines: " + names);
        }
    });
    return *error == nullptr ? found : nullptr;
}

}  // extern "C"
