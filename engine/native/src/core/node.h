// Nodes and edges: the recorded graph, which points from results to inputs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "base/collector.h"
#include "base/pool.h"
#include "core/operator.h"
#include "core/saved_variable.h"
#include "core/tensor.h"

namespace pullback {

struct Arrival;

/// The way of a gradient: an output of an older node. No node: no gradient is needed.
struct Edge {
    Ref<Node> node;
    std::int32_t output = 0;

    explicit operator bool() const { return static_cast<bool>(node); }
};

/// The edge to this tensor. Throws ErrorSet.
Edge edge_of(Tensor& tensor);

/// The edges of one input: one, one per tensor of a list, or none.
struct EdgeRange {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;
};

/// The facts of an output that gradients for it are checked against and made from.
struct Output {
    Layout layout;
    bool differentiable = true;
};

/// Members that few nodes have. Hooks are dicts of id to callable.
struct NodeExtras {
    std::map<std::int32_t, PyRef> hooks;     // by output
    std::map<std::int32_t, PyRef> retained;  // by output: weak reference to a tensor
    PyRef prehooks;                          // before it runs
    PyRef posthooks;                         // after it ran
    PyRef stack;                             // of the call, a str, in anomaly mode
};

enum class NodeKind : std::uint8_t { call, leaf, barrier };

/// One step of the graph: a call of an operator, a leaf where gradients end, or a barrier that
/// refuses to be differentiated.
struct Node {
    PyObject ob_base;
    NodeKind kind = NodeKind::call;
    bool freed = false;          // the saved arrays were let go after a backward
    bool keeps_arrays = false;   // there are any
    bool packed = false;         // some of them by a hook
    bool uniform = false;        // all it read and gave are arrays of one layout, or numbers
    std::int64_t shows = -1;     // of a view of memory in C order: the element where it begins
    std::uint16_t running = 0;   // derivatives that run now, in several threads
    std::uint64_t sequence = 0;  // larger than that of every node that it reads
    std::uint64_t mark = 0;      // see `PassNodes`
    InlineVector<Output, 1> outputs;
    InlineVector<Edge, 2> edges;           // by input, unless there are lists: see `range`
    InlineVector<SavedVariable, 2> saved;  // as the slots of `recorded` say
    InlineVector<EdgeRange, 1> ranges;     // by input, of an operator that takes lists
    PyRef operator_object;
    OperatorInfo* info = nullptr;
    const Variant* recorded = nullptr;  // the backward that the saved values are for
    PyRef caller;                       // the code object of the call
    int caller_instruction = 0;         // and the place in it
    Ref<Tensor> leaf;                   // of a leaf's node
    std::unique_ptr<NodeExtras> extras;
    // Gradients on their way, one entry per backward that runs now.
    Arrival* arrivals = nullptr;
    PyObject* weak_references = nullptr;

    PyObject* object() { return reinterpret_cast<PyObject*>(this); }
    std::string name() const;
    /// "file:line:col" of its operator's formula. Throws ErrorSet.
    std::string formula_place() const;
    /// "file:line" of the call.
    std::string called_at() const;
    NodeExtras& more();
    /// The edges of an input.
    EdgeRange range(std::uint32_t input) const {
        return ranges.empty() ? EdgeRange{input, 1} : ranges[input];
    }
    /// The saved value with this place among the operator's, for a derivative: see SavedVariable.
    /// One that is not `relied` on may have been written.
    PyRef unpack(std::int32_t index, bool recorded, bool relied);
    Operand operand(std::int32_t index, bool relied);
    /// The same without a check of versions for an error: no layout where memory was written.
    Operand peek(std::int32_t index, bool relied) const;
    /// The layout of an input, by its edge.
    const Layout& layout_of_input(std::int32_t input) const {
        const Edge& edge = edges[range(static_cast<std::uint32_t>(input)).begin];
        return edge.node->outputs[static_cast<std::size_t>(edge.output)].layout;
    }
    /// Gives it the next sequence number.
    void renumber() { sequence = next_sequence++; }
    /// Lets the saved arrays go, as soon as no thread reads them.
    void free_saved() {
        if (!keeps_arrays) return;
        freed = true;
        if (running == 0) saved.clear();
    }
    /// Each edge that a gradient may go along: inputs that don't want one have none, a list's other
    /// members an empty one.
    template <typename F>
    void for_each_edge(F&& f) const {
        for (const Edge& edge : edges) {
            if (edge || !ranges.empty()) f(edge);
        }
    }

    static std::uint64_t next_sequence;
    static PyTypeObject* type;
    static Pool<Node> pool;
    /// A node with the next sequence number. Throws ErrorSet.
    static Ref<Node> make(NodeKind kind) {
        Node* node = pool.take(type);
        if (node == nullptr) throw ErrorSet{};
        node->kind = kind;
        node->renumber();
        track(node->object());
        return Ref<Node>::steal(node);
    }
};

/// A node's derivative runs until the end of a scope: what it saved stays that long.
class Running {
  public:
    explicit Running(Node& node) : node_(node) { ++node.running; }
    ~Running() {
        if (--node_.running == 0 && node_.freed) node_.saved.clear();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

  private:
    Node& node_;
};

/// Throws ErrorSet: a barrier was to be differentiated.
[[noreturn]] void raise_barrier(const Node& node);

/// pullback.engine.primitives.plumbing.Like(shape, dtype). Throws ErrorSet.
PyRef python_like(const Layout& layout);

/// Makes the Python type; throws ErrorSet.
void define_node_type();

}  // namespace pullback
