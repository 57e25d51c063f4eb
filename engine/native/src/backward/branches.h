// A backward whose large kernels run on several threads, where branches of the graph are
// independent.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "backward/derivative.h"

namespace pullback {

/// A gradient on its way to a node, and the place that its sum has in a backward on one thread.
struct Contribution {
    std::uint64_t sender;  // its sequence number: younger ones come first
    std::int32_t output;
    Ref<Tensor> gradient;
};

/// A node that is still to run.
struct Place {
    Ref<Node> node;
    std::int64_t waits_for = 0;  // edges of nodes before it that have not run
    std::vector<Contribution> contributions;
};

/// A kernel on a worker.
struct Task {
    Ref<Node> node;
    Received received;
    std::unique_ptr<KernelRun> run;
};

/// The nodes of a backward by what they wait for.
///
/// All that is Python's is done on the thread that owns the backward, with the GIL; workers run
/// kernels only. A node runs when every node before it in the graph has, and its gradients are
/// added in the order in which they would arrive on one thread: results don't depend on who was
/// faster.
class Branches {
  public:
    /// Takes over what waits in a backward.
    Branches(Arrivals& arrivals, const PassNodes& nodes);
    /// Waits for tasks that are out: their memory is this one's.
    ~Branches();
    Branches(const Branches&) = delete;
    Branches& operator=(const Branches&) = delete;

    /// True if there is a node to run or an task out.
    bool busy() const { return !ready_.empty() || out_ > 0; }
    bool has_ready() const { return !ready_.empty(); }
    /// True if two are ready that are worth a thread each.
    bool worth_a_worker(const Received& received) const;

    /// The youngest node that is ready, with the sums of its gradients. Throws ErrorSet.
    Ref<Node> next(Received& received);
    /// A gradient for an older node. Throws ErrorSet.
    void send(const Node& sender, const Edge& edge, Ref<Tensor> gradient);
    /// The node has run, or has nothing to run on: those behind it needn't wait for it.
    void done(const Node& node);

    void hand_out(std::unique_ptr<Task> task);
    /// An task that is back. Where nothing else is ready this runs one that no worker has begun,
    /// or waits. None where none is back.
    std::unique_ptr<Task> back();

  private:
    bool younger_is_under_way(std::uint64_t sequence) const;
    Ref<Tensor> summed(Place& place, std::int32_t output);
    void fold(Place& place);

    const PassNodes& nodes_;
    std::unordered_map<const Node*, Place> places_;
    std::vector<std::pair<std::uint64_t, const Node*>> ready_;  // a heap: the youngest on top
    std::vector<std::uint64_t> senders_;                        // sequence numbers of tasks out
    int out_ = 0;

    /// State shared with the workers; a worker may come when all is done.
    struct Shared {
        std::mutex mutex;
        std::condition_variable came_back;
        std::deque<std::unique_ptr<Task>> waiting;
        std::vector<std::unique_ptr<Task>> back;
    };

    const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

/// Gradients of fewer bytes are not worth another thread.
inline constexpr std::ptrdiff_t kWorthAWorker = 1 << 20;

inline bool is_large(const Ref<Tensor>& gradient) {
    return gradient && gradient->storage->end - gradient->storage->begin >= kWorthAWorker;
}

/// True if the youngest node that waits is worth a thread of its own, for another one is too.
inline bool has_branches(const Arrivals& arrivals) {
    const std::vector<Arrival*>& waiting = arrivals.waiting();
    const auto is_one = [](const Arrival* arrival) {
        return is_large(arrival->received[0]) && arrival->node->kind == NodeKind::call;
    };
    return waiting.size() > 1 && is_one(waiting.front()) &&
           std::any_of(waiting.begin() + 1, waiting.end(), is_one);
}

}  // namespace pullback
