// Views, and what an in-place write does to histories; see `pullback.engine.mutation.views`.
#include <unordered_set>
#include <vector>

#include "base/errors.h"
#include "core/node.h"
#include "core/tensor.h"

namespace pullback {

void Tensor::show_part_of(Tensor& source, Made how) {
    base = source.base ? source.base : Ref<Tensor>::borrow(&source);
    writes = base->writes;
    made = how == Made::plain && source.base ? source.made : how;
    track();
}

void Tensor::renew() {
    static PyObject* function = nullptr;
    import_once(function, "pullback.engine.mutation.views", "renew");
    checked(PyObject_CallOneArg(function, object()));
}

namespace {

/// After a write into the memory: what nodes saved of it before, between the new history and the
/// old one, would hold the new history, and that holds them. Without the cycle they go when the
/// graph does. Their values are gone anyway.
void break_cycles(Node& start, const Storage& written, std::uint64_t oldest) {
    std::unordered_set<Node*> seen{&start};
    std::vector<Node*> stack{&start};
    while (!stack.empty()) {
        Node& node = *stack.back();
        stack.pop_back();
        for (SavedVariable& saved : node.saved) saved.forget_history(written);
        for (const Edge& edge : node.edges) {
            Node* older = edge.node.get();
            if (older != nullptr && older->sequence > oldest && seen.insert(older).second) {
                stack.push_back(older);
            }
        }
    }
}

}  // namespace

void Tensor::rebase(const Tensor& result) {
    const std::uint64_t before = grad_fn ? grad_fn->sequence : 0;
    if (grad_fn && grad_fn->extras) {
        auto& retained = grad_fn->extras->retained;
        const auto mine = retained.find(output_number);
        if (mine != retained.end() && PyWeakref_GetObject(mine->second.get()) == object()) {
            if (result.grad_fn) {
                result.grad_fn->more().retained[result.output_number] = mine->second;
            }
            retained.erase(mine);
        }
    }
    if (result.grad_fn) {
        hang_on(result.grad_fn, result.output_number);
    } else {
        grad_fn = nullptr;
        requires_grad = false;
    }
    if (base) {
        writes = base->writes;
    } else {
        ++writes;
        if (grad_fn && storage->n_saved > 0) break_cycles(*grad_fn, *storage, before);
    }
}

}  // namespace pullback
