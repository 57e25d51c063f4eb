#include "library.h"

#include <cstring>

namespace pullback::standalone {
namespace {

std::size_t digit(char text) { return static_cast<std::size_t>(text - '0'); }

/// How nodes that pass on the gradient which is this output of the backward's kernel run in a
/// chain.
Link link_to(const LibraryOperator& op, std::size_t output) {
    Link link;
    link.known = true;
    for (const KernelArgument& argument : op.arguments) {
        LinkInput& input = link.inputs[link.n_inputs++];
        if (argument.kind == 'i' || argument.kind == 'o') {
            input = {static_cast<std::int16_t>(op.slot(argument)), true};
        }
    }
    link.n_outputs = static_cast<std::uint8_t>(op.gradient_inputs.size());
    link.output = static_cast<std::uint8_t>(output);
    link.edge = static_cast<std::uint8_t>(op.gradient_inputs[output]);
    link.loop = op.compiled_backward->flat;
    return link;
}

/// What of the operator goes the short way.
void find_short_ways(LibraryOperator& op) {
    const auto inputs = static_cast<std::size_t>(op.inputs);
    const bool takes_floats = op.kernel.find_first_not_of('T') == std::string::npos;
    if (op.compiled != nullptr && op.compiled->flat != nullptr && op.forward == nullptr &&
        op.attributes.empty() && takes_floats && inputs <= kMostArrays &&
        op.kernel.size() == inputs) {
        op.direct_inputs = inputs;
    }
    if (op.compiled_backward == nullptr || op.compiled_backward->flat == nullptr) return;
    if (op.direct_inputs == 0 || op.arguments.size() > kMostArrays) return;
    op.links.resize(inputs);
    for (std::size_t output = 0; output < op.gradient_inputs.size(); ++output) {
        op.links[op.gradient_inputs[output]] = link_to(op, output);
    }
}

}  // namespace

std::size_t LibraryOperator::place_of(const char* attribute) const {
    for (std::size_t place = 0; place < attributes.size(); ++place) {
        if (std::strcmp(attributes[place].name, attribute) == 0) return place;
    }
    throw Error("TypeError: " + name + " has no attribute " + attribute);
}

Library& Library::standard() {
    static Library library = [] {
        Library made;
        add_arrangements(made);
        add_comparisons(made);
        add_composites(made);
        add_joins(made);
        add_reductions(made);
        add_scans(made);
        add_views(made);
        add_formulas(made);
        return made;
    }();
    return library;
}

const LibraryOperator& Library::find(const std::string& name) const {
    const auto found = operators_.find(name);
    if (found != operators_.end()) return found->second;
    const auto missing = missing_.find(name);
    if (missing == missing_.end()) throw Error("KeyError: there is no word " + name);
    throw Error("RuntimeError: operator " + name + " needs Python, since its formula has " +
                missing->second + "; call it from Python");
}

const LibraryOperator& Library::define(const pb_operator& definition) {
    LibraryOperator op;
    op.name = definition.name;
    op.inputs = definition.n_inputs;
    op.results = static_cast<std::size_t>(definition.n_results);
    op.outputs = op.results + static_cast<std::size_t>(definition.n_intermediates);
    op.reads_inputs = op.reads_outputs = ~0U;
    op.defined = &definitions_.emplace_back(definition);
    return defined_.emplace_back(std::move(op));
}

void Library::add(LibraryOperator added) {
    if (!added.kernel.empty()) {
        for (const BuiltinFormula& formula : builtin_formulas()) {
            if (added.name != formula.name) continue;
            added.compiled = formula.kernels.data();
            for (const BuiltinKernel& kernel : formula.kernels) {
                if (added.backward_kernel.empty() || kernel.name != added.name + "_backward")
                    continue;
                added.compiled_backward = &kernel;
            }
        }
    }
    for (std::size_t i = 0; i < added.backward_kernel.size(); i += 2) {
        added.arguments.push_back({added.backward_kernel[i], digit(added.backward_kernel[i + 1])});
    }
    for (const char input : added.gradients) added.gradient_inputs.push_back(digit(input));
    const auto primitive = primitives_.find(added.name);
    if (primitive != primitives_.end()) added.forward = primitive->second;
    find_short_ways(added);
    operators_.emplace(added.name, std::move(added));
}

void Library::add_constant(const char* name, Function forward, int inputs,
                           std::vector<Named> attributes) {
    operators_.emplace(name, LibraryOperator{.name = name,
                                             .inputs = inputs,
                                             .attributes = std::move(attributes),
                                             .forward = forward});
}

void Library::add_composite(const char* name, Function function, int inputs,
                            std::vector<Named> attributes) {
    operators_.emplace(name, LibraryOperator{.name = name,
                                             .inputs = inputs,
                                             .attributes = std::move(attributes),
                                             .forward = function,
                                             .composite = true});
}

}  // namespace pullback::standalone
