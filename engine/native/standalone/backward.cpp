#include "backward.h"

#include "copy.h"
#include "direct.h"
#include "pullback/operators.h"

namespace pullback::standalone {
namespace {

/// One backward: from the youngest node that has received something to the oldest.
class Pass {
  public:
    /// To leaves.
    explicit Pass(const Request& request) : request_(request), arrivals_(request.create_graph) {}
    /// To these targets.
    Pass(const Request& request, const std::vector<Node::Edge>& targets)
        : request_(request),
          targets_(targets),
          wanted_({edge_of(request.output.get())}, targets),
          arrivals_(request.create_graph),
          caught_(targets.size()) {}

    void run() {
        const GradMode mode(request_.create_graph);
        const Node::Edge root = edge_of(request_.output.get());
        if (wanted_.contains(*root.node)) arrivals_.send(root, seed());
        while (!arrivals_.empty()) {
            const Turn turn(arrivals_.next());
            step(*turn->node, turn->received);
        }
    }

    std::vector<Owned<pb_value>>& caught() { return caught_; }
    /// What arrived at leaves: the leaf, and its gradient.
    std::vector<std::pair<Owned<pb_value>, Owned<pb_value>>>& at_leaves() { return at_leaves_; }

  private:
    Owned<pb_value> seed() const {
        if (request_.seed) return owned(as_dtype(request_.seed, request_.output.dtype()));
        Tensor one = allocate(like(request_.output));
        fill(*one.get(), 1.0);
        return owned(std::move(one));
    }
    static Owned<pb_value> owned(Tensor tensor) { return Owned<pb_value>::adopt(tensor.release()); }

    void step(Node& node, Received& received) {
        if (wanted_.is_target(node)) {
            for (std::size_t i = 0; i < targets_.size(); ++i) {
                if (targets_[i].node.get() == &node) caught_[i] = received[targets_[i].output];
            }
            if (!wanted_.leads_on(node)) return;
        }
        if (node.op == nullptr) {
            if (node.leaf == nullptr) return;
            at_leaves_.emplace_back(Owned<pb_value>::share(node.leaf), std::move(received[0]));
            return;
        }
        if (!follow_chain(node, received)) differentiate(node, received);
    }

    bool follow_chain(Node& node, Received& received) {
        if (node.link == nullptr || request_.create_graph) return false;
        const auto passes = [&](const Node& next) {
            return next.op != nullptr && !wanted_.is_target(next);
        };
        Node* at = &node;
        return Chain(received[0]).follow(at, arrivals_, request_.retain_graph, passes);
    }

    void differentiate(Node& node, Received& received) {
        const std::size_t count = node.edges.size();
        InlineVector<std::uint8_t, 16> needed;
        InlineVector<Owned<pb_value>, 4> made;
        for (const Node::Edge& edge : node.edges) {
            needed.emplace_back(std::uint8_t{edge && wanted_.contains(*edge.node)});
            made.emplace_back();
        }
        const std::span<const std::uint8_t> asked(needed.begin(), count);
        const bool keeps = request_.retain_graph || request_.create_graph;
        if (request_.create_graph || node.spent ||
            !differentiate_directly(node, received[0], asked, {made.begin(), count})) {
            differentiate_generally(node, received, asked, {made.begin(), count});
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (needed[i] != 0 && made[i]) arrivals_.send(node.edges[i], std::move(made[i]));
        }
        if (!keeps) node.let_go();
    }

    void differentiate_generally(Node& node, const Received& received,
                                 std::span<const std::uint8_t> needed,
                                 std::span<Owned<pb_value>> gradients) {
        Tensors given, made(gradients.size());
        for (const Owned<pb_value>& one : received) given.push_back(Tensor::share(one.get()));
        run_backward_of(node, given, needed, request_.create_graph, made);
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (needed[i] == 0 || !made[i]) continue;
            gradients[i] = owned(fitted(node, i, std::move(made[i])));
        }
    }

    /// The gradient in the dtype of its input. Throws Error where the shape is another one.
    static Tensor fitted(const Node& node, std::size_t input, Tensor gradient) {
        const Layout& layout = node.layout(input);
        if (gradient.get()->is_number) gradient = as_dtype(gradient, to_dlpack(layout.dtype()));
        const Layout& found = gradient.get()->layout;
        if (!found.same_shape(layout)) {
            throw Error("GradientShapeError: the backward of " + node.op->name +
                        " gives a gradient of shape " + found.shape_text() + " for input " +
                        std::to_string(input) + " of shape " + layout.shape_text());
        }
        if (found.dtype() == layout.dtype()) return gradient;
        return astype(gradient, same(to_dlpack(layout.dtype()), kFloat32) ? "float32" : "float64");
    }

    const Request& request_;
    const std::vector<Node::Edge> targets_;
    const Wanted wanted_;
    Arrivals arrivals_;
    std::vector<Owned<pb_value>> caught_;
    std::vector<std::pair<Owned<pb_value>, Owned<pb_value>>> at_leaves_;
};

void check(const Request& request) {
    const pb_value& output = tensor_of(request.output);
    if (!output.requires_grad) {
        throw Error("NotDifferentiableError: this output doesn't require grad");
    }
    if (!request.seed && output.layout.size() != 1) {
        throw Error("GradientShapeError: an output of shape " + output.layout.shape_text() +
                    " needs a gradient to go back from");
    }
    if (request.seed && !tensor_of(request.seed).layout.same_shape(output.layout)) {
        throw Error("GradientShapeError: the output has shape " + output.layout.shape_text() +
                    ", its gradient " + request.seed.get()->layout.shape_text());
    }
}

}  // namespace

void accumulate_gradients(const Request& request) {
    check(request);
    Pass pass(request);
    pass.run();
    const GradMode mode(request.create_graph);
    for (auto& [leaf, owned] : pass.at_leaves()) {
        Tensor gradient = Tensor::adopt(owned.release());
        leaf->grad = leaf->grad ? accumulate(leaf->grad, gradient) : std::move(gradient);
    }
}

Tensors gradients_of(const Request& request, std::span<const Tensor> inputs) {
    check(request);
    std::vector<Node::Edge> targets;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!tensor_of(inputs[i]).requires_grad) {
            throw Error("NotDifferentiableError: input " + std::to_string(i) +
                        " doesn't require grad");
        }
        targets.push_back(edge_of(inputs[i].get()));
    }
    Pass pass(request, targets);
    pass.run();
    Tensors found;
    for (Owned<pb_value>& gradient : pass.caught()) {
        if (!gradient) {
            throw Error("UnusedInputError: the output doesn't depend on input " +
                        std::to_string(found.size()));
        }
        found.push_back(Tensor::adopt(gradient.release()));
    }
    return found;
}

}  // namespace pullback::standalone
