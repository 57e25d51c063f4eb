#include "arrivals.h"

#include <algorithm>

#include "pullback/errors.h"

namespace pullback {
namespace {

bool older(const std::unique_ptr<Arrival>& a, const std::unique_ptr<Arrival>& b) {
    return a->node->sequence < b->node->sequence;
}

}  // namespace

Arrivals::~Arrivals() {
    for (const std::unique_ptr<Arrival>& arrival : waiting_) unlink(*arrival);
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
    waiting_.push_back(std::make_unique<Arrival>(
        Arrival{this, Ref<Node>::borrow(&node), Received(node.outputs.size()), node.arrivals}));
    Arrival& made = *waiting_.back();
    node.arrivals = &made;
    std::push_heap(waiting_.begin(), waiting_.end(), older);
    return made;
}

void Arrivals::send(const Edge& edge, Ref<Tensor> gradient) {
    Ref<Tensor>& received = arrival_at(*edge.node).received[static_cast<std::size_t>(edge.output)];
    received = received ? add_gradients(received, gradient, create_graph_) : std::move(gradient);
}

std::unique_ptr<Arrival> Arrivals::next() {
    std::pop_heap(waiting_.begin(), waiting_.end(), older);
    std::unique_ptr<Arrival> arrival = std::move(waiting_.back());
    waiting_.pop_back();
    unlink(*arrival);
    return arrival;
}

Ref<Tensor> add_gradients(const Ref<Tensor>& before, const Ref<Tensor>& gradient,
                          bool create_graph) {
    if (!create_graph) {
        return Tensor::of_array(
            to_array(checked(PyNumber_Add(before->array(), gradient->array()))));
    }
    static PyObject* call = import_from("pullback.engine.call", "call").release();
    const PyRef sum = checked(
        PyObject_CallFunction(call, "sOO", "accumulate", before.object(), gradient.object()));
    return Ref<Tensor>::borrow(Tensor::cast(sum.get()));
}

}  // namespace pullback
