#include "library.h"

#include <cstring>
#include <list>

namespace pullback::standalone {

Like Saved::like(std::size_t position) const {
    const Layout& layout = layouts_[position];
    return {to_dlpack(layout.dtype()), Shape(layout.shape(), layout.shape() + layout.ndim())};
}

const Attribute& Saved::attribute(const char* name) const {
    for (std::size_t i = 0; i < operator_.attributes.size(); ++i) {
        if (std::strcmp(operator_.attributes[i].name, name) == 0) return attributes_[i];
    }
    throw Error("TypeError: " + operator_.name + " has no attribute " + name);
}

std::vector<Like> Saved::likes() const {
    std::vector<Like> all;
    for (std::size_t i = 0; i < inputs_.size(); ++i) all.push_back(like(i));
    return all;
}

Library& Library::standard() {
    static Library& library = [&]() -> Library& {
        static Library made;
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
    static std::list<pb_operator> kept;
    static std::list<LibraryOperator> defined;
    kept.push_back(definition);
    LibraryOperator op;
    op.name = definition.name;
    op.inputs = definition.n_inputs;
    op.results = static_cast<std::size_t>(definition.n_results);
    op.outputs = op.results + static_cast<std::size_t>(definition.n_intermediates);
    op.reads_inputs = op.reads_outputs = ~0U;
    op.defined = &kept.back();
    return defined.emplace_back(std::move(op));
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
    const auto primitive = primitives_.find(added.name);
    if (primitive != primitives_.end()) added.forward = primitive->second;
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
