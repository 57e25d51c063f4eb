// The table of this engine, for engine_api.h.
#include <cstring>

#include "backward.h"
#include "copy.h"
#include "direct.h"
#include "loops.h"

namespace pullback::standalone {
namespace {

thread_local std::string failure;

/// What the body gives, or `failed` with the error kept.
template <typename Value, typename Body>
Value guarded(Value failed, Body&& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        failure = "MemoryError: out of memory";
    } catch (const std::exception& error) {
        failure = error.what();
    }
    return failed;
}

void keep(pb_value* value) { ++value->owners; }
void release(pb_value* value) { Owned<pb_value>::drop(value); }
const char* error() { return failure.c_str(); }

pb_value* make(const void* data, DLDataType dtype, std::int32_t ndim, const std::int64_t* shape,
               int requires_grad) {
    return guarded<pb_value*>(nullptr, [&] {
        with_type(dtype, [](auto) {});
        if (requires_grad != 0 && dtype.code != kDLFloat) {
            throw Error("NotDifferentiableError: only floats can require grad");
        }
        Tensor made = allocate(Like{dtype, Shape(shape, shape + ndim)});
        const std::size_t bytes = made.get()->storage->bytes;
        if (data != nullptr && bytes > 0) std::memcpy(made.get()->data, data, bytes);
        made.get()->requires_grad = requires_grad != 0;
        return made.release();
    });
}

pb_value* number(double value) {
    return guarded<pb_value*>(nullptr, [&] {
        Owned<pb_value> made = make_value();
        made->is_number = true;
        made->number = value;
        return made.release();
    });
}

int view(pb_value* value, DLTensor* result) {
    return guarded(-1, [&] {
        *result = dl_of(tensor_of(*value));
        return 0;
    });
}

int requires_grad(pb_value* value) { return value->requires_grad; }

pb_value* detach(pb_value* value) {
    return guarded<pb_value*>(nullptr, [&] {
        return view_over(tensor_of(*value), value->data, value->layout).release();
    });
}

pb_word* handle_of(const LibraryOperator& op) {
    return reinterpret_cast<pb_word*>(const_cast<LibraryOperator*>(&op));
}

pb_word* find_word(const char* name) {
    return guarded<pb_word*>(nullptr, [&] { return handle_of(Library::standard().find(name)); });
}

pb_word* define(const pb_operator* definition) {
    return guarded<pb_word*>(nullptr,
                             [&] { return handle_of(Library::standard().define(*definition)); });
}

/// The operator's attributes in order: what was given, else the defaults.
Attributes filled_in(const LibraryOperator& op, const pb_attribute* given, std::size_t count) {
    Attributes values;
    for (const Named& attribute : op.attributes) values.push_back(attribute.value);
    for (const pb_attribute& one : std::span(given, count)) {
        values[op.place_of(one.name)] = Attribute::of(one);
    }
    return values;
}

int call(pb_word* word, pb_value* const* arguments, std::size_t count,
         const pb_attribute* attributes, std::size_t n_attributes, pb_value** results,
         std::size_t n_results) {
    const auto& op = *reinterpret_cast<const LibraryOperator*>(word);
    return guarded(-1, [&] {
        if (op.direct_inputs == count && n_attributes == 0 && n_results == 1) [[likely]] {
            results[0] = call_directly(op, {arguments, count}).release();
            if (results[0] != nullptr) return 0;
        }
        if (!op.variadic && count != static_cast<std::size_t>(op.inputs)) {
            throw Error("TypeError: " + op.name + " takes " + std::to_string(op.inputs) +
                        " tensors, not " + std::to_string(count));
        }
        if (n_results != op.results) {
            throw Error("TypeError: " + op.name + " gives " + std::to_string(op.results) +
                        " results, not " + std::to_string(n_results));
        }
        // A Tensor is a pointer that counts: here the caller's count will do.
        static_assert(sizeof(Tensor) == sizeof(pb_value*));
        const std::span inputs(reinterpret_cast<const Tensor*>(arguments), count);
        Tensors made = apply(op, inputs, filled_in(op, attributes, n_attributes));
        for (std::size_t i = 0; i < n_results; ++i) results[i] = made[i].release();
        return 0;
    });
}

Request request_of(pb_value* output, pb_value* seed, int retain_graph, int create_graph) {
    return {Tensor::share(output), Tensor::share(seed), retain_graph != 0, create_graph != 0};
}

int backward(pb_value* output, pb_value* seed, int retain_graph) {
    return guarded(-1, [&] {
        accumulate_gradients(request_of(output, seed, retain_graph, 0));
        return 0;
    });
}

int gradients(pb_value* output, pb_value* seed, pb_value* const* inputs, std::size_t count,
              int retain_graph, int create_graph, pb_value** result) {
    return guarded(-1, [&] {
        Tensors targets;
        for (std::size_t i = 0; i < count; ++i) targets.push_back(Tensor::share(inputs[i]));
        Tensors found = gradients_of(request_of(output, seed, retain_graph, create_graph), targets);
        for (std::size_t i = 0; i < count; ++i) result[i] = found[i].release();
        return 0;
    });
}

pb_value* grad(pb_value* value) {
    Tensor found = value->grad;
    return found.release();
}

int clear_grad(pb_value* value) {
    value->grad = {};
    return 0;
}

int enabled() { return grad_enabled(); }

int set_enabled(int wanted) { return std::exchange(here.grad_enabled, wanted != 0); }

int step(pb_value* value, pb_value* gradient, double rate) {
    return guarded(-1, [&] {
        if (value->grad_fn) throw Error("MutationError: a step of a tensor that is no leaf");
        const Tensor change = as_dtype(Tensor::share(gradient), value->dtype());
        with_type(value->dtype(), [&](auto type) {
            using T = decltype(type);
            map<T, T, T>(
                [rate](T now, T by) { return static_cast<T>(now - static_cast<T>(rate) * by); },
                *value, *value, *change.get());
        });
        ++value->storage->version;
        return 0;
    });
}

constexpr pb_engine_api kTable = {
    PB_ENGINE_API, keep,       release,   error,       make, number,   view,
    requires_grad, detach,     find_word, define,      call, backward, gradients,
    grad,          clear_grad, enabled,   set_enabled, step,
};

}  // namespace
}  // namespace pullback::standalone

extern "C" const pb_engine_api* pullback_engine(void) { return &pullback::standalone::kTable; }
