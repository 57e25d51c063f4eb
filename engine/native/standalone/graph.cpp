#include "graph.h"

#include <atomic>

namespace pullback::standalone {

std::uint64_t Graph::next_marks() {
    static std::atomic<std::uint64_t> marks{4};
    return marks.fetch_add(4, std::memory_order_relaxed);
}

Owned<pb_value> Graph::sum(Owned<pb_value>& before, const Owned<pb_value>& gradient,
                           bool create_graph) {
    static const LibraryOperator& accumulate = Library::standard().find("accumulate");
    if (!create_graph && accumulate.direct_inputs != 0) {
        auto sum = add_by_loop<Graph>(accumulate.compiled->flat, before, gradient);
        if (sum) return sum;
    }
    const Tensor both[] = {Tensor::share(before.get()), Tensor::share(gradient.get())};
    return Owned<pb_value>::adopt(apply(accumulate, both, {})[0].release());
}

}  // namespace pullback::standalone
