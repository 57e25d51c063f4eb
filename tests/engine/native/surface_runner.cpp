// Calls operators that stand in its input, and prints values and derivatives of the first two
// orders: what test_surface_operators.py compares with the Python engine.
//
//   op NAME                                   begins a call
//   tensor REQUIRES_GRAD NDIM SHAPE VALUES    an argument; `number VALUE`, `none`
//   truths NDIM SHAPE VALUES                  a mask
//   attribute NAME KIND ...                   see `attribute` below
//   run
#include <pullback/pullback.h>

#include <cmath>
#include <cstdio>
#include <iostream>

using namespace pullback;

namespace {

template <typename T>
T read() {
    T value{};
    if (!(std::cin >> value)) throw Error("the input ends");
    return value;
}

Shape read_shape() {
    Shape shape(read<std::size_t>());
    for (std::int64_t& extent : shape) extent = read<std::int64_t>();
    return shape;
}

std::vector<double> read_values(const Shape& shape) {
    std::int64_t size = 1;
    for (const std::int64_t extent : shape) size *= extent;
    std::vector<double> values(static_cast<std::size_t>(size));
    for (double& value : values) value = std::stod(read<std::string>());
    return values;
}

IndexPart read_part() {
    const auto kind = read<std::string>();
    if (kind == "place") return read<std::int64_t>();
    if (kind == "ellipsis") return ellipsis;
    if (kind == "new") return none;
    const auto end = [] {
        const auto text = read<std::string>();
        return text == "open" ? Slice::kOpen : std::stoll(text);
    };
    Slice slice;
    slice.start = end();
    slice.stop = end();
    slice.step = read<std::int64_t>();
    return slice;
}

Attribute read_attribute() {
    const auto kind = read<std::string>();
    if (kind == "none") return none;
    if (kind == "truth") return read<int>() != 0;
    if (kind == "integer") return read<std::int64_t>();
    if (kind == "number") return read<double>();
    if (kind == "text") return read<std::string>().c_str();
    if (kind == "integers") return read_shape();
    if (kind == "like") return Like{{kDLFloat, 64, 1}, read_shape()};
    Index index;
    for (auto parts = read<std::size_t>(); parts > 0; --parts) index.push_back(read_part());
    return index;
}

void print(const char* name, const Tensor& tensor) {
    std::printf("%s %d", name, tensor.ndim());
    for (const std::int64_t extent : tensor.shape())
        std::printf(" %lld", static_cast<long long>(extent));
    for (const double value : tensor.values()) std::printf(" %.17g", value);
    std::printf("\n");
}

/// A sum of the entries with different weights.
Tensor weighed(const Tensor& x, double phase) {
    std::vector<double> weights(static_cast<std::size_t>(x.size()));
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = std::cos(static_cast<double>(i) + phase);
    }
    return sum(x * Tensor(weights, x.shape()));
}

/// The gradient; empty where there is none.
Tensor gradient_of(const char* name, const Tensor& y, const Tensor& input) {
    try {
        const Tensor found = gradients(y, {input}, {}, true, true)[0];
        print(name, found);
        return found;
    } catch (const Error& error) {
        if (std::string(error.what()).rfind("UnusedInputError", 0) != 0) throw;
        std::printf("%s zero\n", name);
        return {};
    }
}

void differentiate(const Tensor& y, const Tensors& inputs) {
    const Tensor value = weighed(y, 0.0);
    Tensor total({0.0}, {});
    Tensors differentiable;
    for (const Tensor& input : inputs) {
        const Tensor gradient = gradient_of("first", value, input);
        if (!gradient) continue;
        differentiable.push_back(input);
        total = total + weighed(gradient, 1.0);
    }
    // Not recorded, as kernels; one and all of them.
    for (const Tensor& input : differentiable) {
        print("plain", gradients(value, {input}, {}, true)[0]);
    }
    for (const Tensor& gradient : gradients(value, differentiable, {}, true)) {
        print("plain", gradient);
    }
    if (!total.requires_grad()) return;
    for (const Tensor& input : inputs) gradient_of("second", total, input);
}

}  // namespace

int main() try {
    std::string command, name;
    Tensors arguments, inputs;
    std::vector<std::string> names;
    std::vector<Attribute> values;
    while (std::cin >> command) {
        if (command == "op") {
            name = read<std::string>();
            arguments = inputs = {};
            names = {};
            values = {};
        } else if (command == "number") {
            arguments.emplace_back(read<double>());
        } else if (command == "none") {
            arguments.emplace_back();
        } else if (command == "truths") {
            const Shape shape = read_shape();
            arguments.push_back(not_equal(Tensor(read_values(shape), shape), 0.0));
        } else if (command == "tensor") {
            const bool requires_grad = read<int>() != 0;
            const Shape shape = read_shape();
            arguments.emplace_back(read_values(shape), shape, requires_grad);
            if (requires_grad) inputs.push_back(arguments.back());
        } else if (command == "attribute") {
            names.push_back(read<std::string>());
            values.push_back(read_attribute());
        } else {
            std::vector<Named> named;
            for (std::size_t i = 0; i < names.size(); ++i) {
                named.push_back({names[i].c_str(), values[i]});
            }
            std::printf("op %s\n", name.c_str());
            const Tensor y = Word(name.c_str()).call(arguments, named, 1)[0];
            print("value", y);
            if (y.requires_grad()) differentiate(y, inputs);
        }
    }
    return 0;
} catch (const std::exception& error) {
    std::printf("error %s\n", error.what());
    return 1;
}
