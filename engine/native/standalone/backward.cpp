#include "backward.h"

#include <algorithm>

#include "copy.h"
#include "pullback/operators.h"

namespace pullback::standalone {
namespace {

/// One backward: the nodes that the output depends on, in the order in which they were made. What a
/// node depends on stands before it, so the list is gone through from its end.
class Pass {
  public:
    explicit Pass(const Request& request) : request_(request) { collect(); }
    ~Pass() {
        for (const Before& before : before_) {
            before.node->list = before.list;
            before.node->place = before.place;
        }
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    /// Has a gradient arrive at each of these, and not only at leaves.
    void aim_at(std::span<const Node::Edge> targets) {
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const Node::Edge& target = targets[i];
            if (target.node->list != this) continue;
            wanted_[target.node->place] = true;
            aims_.push_back({target.node->place, target.output, i});
        }
        spread_wanted();
        caught_.resize(targets.size());
    }
    void aim_at_leaves() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) wanted_[i] = nodes_[i]->op == nullptr;
        spread_wanted();
    }

    void run() {
        const Node::Edge root = edge_of(request_.output);
        arrive(root, seed());
        for (std::size_t place = nodes_.size(); place-- > 0;) {
            if (wanted_[place] && reached_[place]) step(place);
        }
    }

    Tensors& caught() { return caught_; }
    /// What arrived at leaves: the leaf, and its gradient.
    std::vector<std::pair<pb_value*, Tensor>>& at_leaves() { return at_leaves_; }

  private:
    struct Aim {
        std::size_t place;
        std::uint32_t output;
        std::size_t number;  // of the target
    };

    /// What a pass around this one, whose backward asks for gradients itself, knew of a node.
    struct Before {
        Node* node;
        const void* list;
        std::size_t place;
    };

    void enter(const Owned<Node>& node) {
        before_.push_back({node.get(), node->list, node->place});
        node->list = this;
        nodes_.push_back(node);
    }

    void collect() {
        enter(edge_of(request_.output).node);
        for (std::size_t next = 0; next < nodes_.size(); ++next) {
            for (const Node::Edge& edge : nodes_[next]->edges) {
                if (edge.node && edge.node->list != this) enter(edge.node);
            }
        }
        // A chain was met from its end: sorting what is in order costs more than looking.
        const auto older = [](const Owned<Node>& a, const Owned<Node>& b) {
            return a->sequence < b->sequence;
        };
        std::reverse(nodes_.begin(), nodes_.end());
        if (!std::is_sorted(nodes_.begin(), nodes_.end(), older)) {
            std::sort(nodes_.begin(), nodes_.end(), older);
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i]->place = i;
        wanted_.assign(nodes_.size(), false);
        first_.resize(nodes_.size() + 1);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            first_[i + 1] = first_[i] + nodes_[i]->n_outputs();
        }
        arrived_.resize(first_.back());
        reached_.assign(nodes_.size(), false);
    }

    /// A node is wanted where something that it depends on is.
    void spread_wanted() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            for (const Node::Edge& edge : nodes_[i]->edges) {
                if (edge.node && wanted_[edge.node->place]) wanted_[i] = true;
            }
        }
    }

    Tensor seed() const {
        if (request_.seed) return as_dtype(request_.seed, request_.output.dtype());
        Tensor one = allocate(like(request_.output));
        fill(*one.get(), 1.0);
        return one;
    }

    void arrive(const Node::Edge& edge, Tensor gradient) {
        reached_[edge.node->place] = true;
        Tensor& place = arrived_[first_[edge.node->place] + edge.output];
        place = place ? accumulate(place, gradient) : std::move(gradient);
    }

    void step(std::size_t place) {
        Node& node = *nodes_[place];
        const std::span<Tensor> received(&arrived_[first_[place]], node.n_outputs());
        for (const Aim& aim : aims_) {
            if (aim.place == place) caught_[aim.number] = received[aim.output];
        }
        if (node.op == nullptr) {
            if (node.leaf != nullptr) at_leaves_.emplace_back(node.leaf, received[0]);
            return;
        }
        needed_.assign(node.edges.size(), 0);
        bool any = false;
        for (std::size_t i = 0; i < needed_.size(); ++i) {
            const Node::Edge& edge = node.edges[i];
            needed_[i] = edge.node && wanted_[edge.node->place];
            any |= needed_[i] != 0;
        }
        if (any) send(node, received);
        for (Tensor& gradient : received) gradient = {};
    }

    void send(Node& node, std::span<const Tensor> received) {
        // A backward may ask for gradients itself, in a pass of its own: nothing here is shared.
        InlineVector<Tensor, 4> made;
        for (std::size_t i = 0; i < needed_.size(); ++i) made.emplace_back();
        run_backward_of(node, received, needed_, request_.create_graph,
                        {made.begin(), made.size()});
        const GradMode mode(request_.create_graph);
        for (std::size_t i = 0; i < needed_.size(); ++i) {
            if (needed_[i] != 0 && made[i]) {
                arrive(node.edges[i], fitted(node, i, std::move(made[i])));
            }
        }
        if (!request_.retain_graph && !request_.create_graph) node.let_go();
    }

    /// The gradient in the dtype of its input. Throws Error where the shape is another one.
    static Tensor fitted(const Node& node, std::size_t input, Tensor gradient) {
        const Layout& layout = node.layouts[input];
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
    std::vector<Owned<Node>> nodes_;
    std::vector<Before> before_;
    std::vector<bool> wanted_;
    std::vector<std::size_t> first_;  // of each node's outputs, in what arrived
    Tensors arrived_;
    std::vector<bool> reached_;
    std::vector<std::uint8_t> needed_;  // of the inputs of the node that runs
    std::vector<Aim> aims_;
    Tensors caught_;
    std::vector<std::pair<pb_value*, Tensor>> at_leaves_;
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
    pass.aim_at_leaves();
    pass.run();
    const GradMode mode(request.create_graph);
    for (auto& [leaf, gradient] : pass.at_leaves()) {
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
        targets.push_back(edge_of(inputs[i]));
    }
    Pass pass(request);
    pass.aim_at(targets);
    pass.run();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!pass.caught()[i]) {
            throw Error("UnusedInputError: the output doesn't depend on input " +
                        std::to_string(i));
        }
    }
    return std::move(pass.caught());
}

}  // namespace pullback::standalone
