#include "arrivals.h"

#include <algorithm>

#include "direct.h"
#include "pullback/errors.h"

namespace pullback {
namespace {

bool older(const Arrival* a, const Arrival* b) { return a->sequence < b->sequence; }

/// Arrivals that are done, for the next ones. The GIL guards them.
constexpr std::size_t kKept = 1024;
std::vector<Arrival*>& spare() {
    static auto* kept = new std::vector<Arrival*>;
    return *kept;
}

/// The sum by its kernel, in the engine's memory; none where it doesn't take these types.
Ref<Tensor> add_by_kernel(Ref<Tensor>& before, const Tensor& gradient) {
    OperatorInfo& info = OperatorInfo::accumulate();
    if (!info.kernel || !before->layout.twin_of(gradient.layout)) return {};
    Launch launch(*info.kernel);
    const KernelArgument* const arguments = info.kernel->arguments.data();
    if (!launch.add(arguments[0], Operand::of(*before)) ||
        !launch.add(arguments[1], Operand::of(gradient))) {
        return {};
    }
    if (before->exclusive()) launch.write_over(0, before);
    LaunchOutputs sum;
    return launch.run(sum) ? std::move(sum[0]) : Ref<Tensor>{};
}

}  // namespace

Arrivals::~Arrivals() {
    for (Arrival* arrival : waiting_) {
        unlink(*arrival);
        done(arrival);
    }
}

void Arrivals::done(Arrival* arrival) {
    arrival->received.clear();
    arrival->node = nullptr;
    if (spare().size() < kKept) {
        spare().push_back(arrival);
    } else {
        delete arrival;
    }
}

void Arrivals::unlink(Arrival& arrival) {
    Arrival** link = &arrival.node->arrivals;
    while (*link != &arrival) link = &(*link)->next;
    *link = arrival.next;
}

Arrival& Arrivals::arrival_at(Node& node) {
    for (Arrival* arrival = node.arrivals; arrival != nullptr; arrival = arrival->next) {
        if (arrival->pass == this) return *arrival;
    }
    Arrival* made = nullptr;
    if (spare().empty()) {
        made = new Arrival;
    } else {
        made = spare().back();
        spare().pop_back();
    }
    made->pass = this;
    made->node = Ref<Node>::borrow(&node);
    made->sequence = node.sequence;
    for (std::uint32_t i = 0; i < node.outputs.size(); ++i) made->received.emplace_back();
    made->next = node.arrivals;
    node.arrivals = made;
    waiting_.push_back(made);
    std::push_heap(waiting_.begin(), waiting_.end(), older);
    return *made;
}

void Arrivals::send(const Edge& edge, Ref<Tensor> gradient) {
    Ref<Tensor>& received = arrival_at(*edge.node).received[static_cast<std::size_t>(edge.output)];
    if (received) {
        // Python may run in there, and send to this node too: the place must not be used meanwhile.
        Ref<Tensor> before = std::move(received);
        received = add_gradients(before, gradient, create_graph_);
    } else {
        received = std::move(gradient);
    }
}

Ref<Tensor>* Arrivals::at(const Edge& edge) const {
    for (Arrival* arrival = edge.node->arrivals; arrival != nullptr; arrival = arrival->next) {
        if (arrival->pass == this) return &arrival->received[static_cast<std::size_t>(edge.output)];
    }
    return nullptr;
}

bool Arrivals::has_another(std::ptrdiff_t bytes) const {
    const auto is_one = [&](const Arrival* arrival) {
        return arrival->node->kind == NodeKind::call && receives(*arrival, bytes);
    };
    return waiting_.front()->node->kind == NodeKind::call &&
           std::any_of(waiting_.begin() + 1, waiting_.end(), is_one);
}

Arrival* Arrivals::next() {
    std::pop_heap(waiting_.begin(), waiting_.end(), older);
    Arrival* arrival = waiting_.back();
    waiting_.pop_back();
    unlink(*arrival);
    return arrival;
}

Ref<Tensor> add_gradients(Ref<Tensor>& before, const Ref<Tensor>& gradient, bool create_graph) {
    if (!create_graph) {
        if (Ref<Tensor> sum = add_directly(before, *gradient)) return sum;
        if (Ref<Tensor> sum = add_by_kernel(before, *gradient)) return sum;
        return Tensor::of_array(
            to_array(checked(PyNumber_Add(before->array(), gradient->array()))));
    }
    static PyObject* call = nullptr;
    import_once(call, "pullback.engine.call", "call");
    const Ref<Tensor> kept = before;
    const PyRef sum =
        checked(PyObject_CallFunction(call, "sOO", "accumulate", kept.object(), gradient.object()));
    return Ref<Tensor>::borrow(Tensor::cast(sum.get()));
}

}  // namespace pullback
