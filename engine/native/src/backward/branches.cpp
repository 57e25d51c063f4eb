#include "backward/branches.h"

#include <algorithm>
#include <utility>

#include "runtime/task_threads.h"

namespace pullback {
namespace {

constexpr std::uint64_t kBeforeAll = ~std::uint64_t{0};

}  // namespace

Branches::Branches(Arrivals& arrivals, const PassNodes& nodes) : nodes_(nodes) {
    std::vector<Node*> stack;
    const auto enter = [&](const Ref<Node>& node) -> Place& {
        const auto [found, is_new] = places_.try_emplace(node.get());
        if (is_new) {
            found->second.node = node;
            stack.push_back(node.get());
        }
        return found->second;
    };
    while (!arrivals.empty()) {
        const TakenArrival arrival(arrivals.next());
        Place& place = enter((*arrival).node);
        for (std::uint32_t i = 0; i < (*arrival).received.size(); ++i) {
            Ref<Tensor>& gradient = (*arrival).received[i];
            if (gradient) {
                place.contributions.push_back(
                    {kBeforeAll, static_cast<std::int32_t>(i), std::move(gradient)});
            }
        }
    }
    while (!stack.empty()) {
        const Node* node = stack.back();
        stack.pop_back();
        for (const Edge& edge : node->edges) {
            if (edge && nodes.contains(*edge.node)) ++enter(edge.node).waits_for;
        }
    }
    for (const auto& [node, place] : places_) {
        if (place.waits_for == 0) ready_.emplace_back(node->sequence, node);
    }
    std::make_heap(ready_.begin(), ready_.end());
}

Branches::~Branches() {
    ready_.clear();  // nothing else is run
    while (out_ > 0) back();
}

bool Branches::worth_a_worker(const Received& received) const {
    if (ready_.empty() || out_ >= task_threads() ||
        !std::any_of(received.begin(), received.end(), is_large))
        return false;
    const Place& other = places_.at(ready_.front().second);
    return std::any_of(other.contributions.begin(), other.contributions.end(),
                       [](const Contribution& one) { return is_large(one.gradient); });
}

Ref<Node> Branches::next(Received& received) {
    std::pop_heap(ready_.begin(), ready_.end());
    Place& place = places_.at(ready_.back().second);
    ready_.pop_back();
    Ref<Node> node = place.node;
    received.clear();
    for (std::uint32_t i = 0; i < node->outputs.size(); ++i) {
        received.emplace_back(summed(place, static_cast<std::int32_t>(i)));
    }
    place.contributions.clear();
    return node;
}

Ref<Tensor> Branches::summed(Place& place, std::int32_t output) {
    Ref<Tensor> sum;
    for (Contribution& one : place.contributions) {
        if (one.output != output) continue;
        sum = sum ? sum_of(sum, one.gradient, false) : std::move(one.gradient);
    }
    return sum;
}

bool Branches::younger_is_under_way(std::uint64_t sequence) const {
    if (!ready_.empty() && ready_.front().first > sequence) return true;
    return std::any_of(senders_.begin(), senders_.end(),
                       [&](std::uint64_t sender) { return sender > sequence; });
}

void Branches::send(const Node& sender, const Edge& edge, Ref<Tensor> gradient) {
    Place& place = places_.at(edge.node.get());
    auto& all = place.contributions;
    // Behind those of younger senders, and of the same one: from input to input.
    const auto where = std::find_if(all.begin(), all.end(), [&](const Contribution& other) {
        return other.sender < sender.sequence;
    });
    all.insert(where, {sender.sequence, edge.output, std::move(gradient)});
    fold(place);
}

/// Adds up what nothing can come before any more, so that few gradients wait.
void Branches::fold(Place& place) {
    auto& all = place.contributions;
    const auto end = std::find_if(all.begin(), all.end(), [&](const Contribution& one) {
        return one.sender != kBeforeAll && younger_is_under_way(one.sender);
    });
    std::vector<Contribution> sums;
    for (auto one = all.begin(); one != end; ++one) {
        const auto before = std::find_if(sums.begin(), sums.end(), [&](const Contribution& sum) {
            return sum.output == one->output;
        });
        if (before == sums.end()) {
            sums.push_back({kBeforeAll, one->output, std::move(one->gradient)});
        } else {
            before->gradient = sum_of(before->gradient, one->gradient, false);
        }
    }
    all.erase(all.begin(), end);
    all.insert(all.begin(), std::make_move_iterator(sums.begin()),
               std::make_move_iterator(sums.end()));
}

void Branches::done(const Node& node) {
    for (const Edge& edge : node.edges) {
        if (!edge || !nodes_.contains(*edge.node)) continue;
        Place& place = places_.at(edge.node.get());
        if (--place.waits_for > 0) continue;
        ready_.emplace_back(edge.node->sequence, edge.node.get());
        std::push_heap(ready_.begin(), ready_.end());
    }
}

void Branches::hand_out(std::unique_ptr<Task> task) {
    ++out_;
    senders_.push_back(task->node->sequence);
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->waiting.push_back(std::move(task));
    }
    run_task([shared = shared_] {
        std::unique_lock lock(shared->mutex);
        if (shared->waiting.empty()) return;  // the owner had nothing else to do
        std::unique_ptr<Task> mine = std::move(shared->waiting.front());
        shared->waiting.pop_front();
        lock.unlock();
        mine->run->launch.execute();
        lock.lock();
        shared->back.push_back(std::move(mine));
        shared->came_back.notify_one();
    });
}

std::unique_ptr<Task> Branches::back() {
    if (out_ == 0) return nullptr;
    std::unique_ptr<Task> found;
    const bool waits = ready_.empty();
    Py_BEGIN_ALLOW_THREADS;
    {
        Shared& shared = *shared_;
        std::unique_lock lock(shared.mutex);
        if (waits && shared.back.empty() && !shared.waiting.empty()) {
            found = std::move(shared.waiting.back());
            shared.waiting.pop_back();
            lock.unlock();
            found->run->launch.execute();
        } else {
            if (waits) shared.came_back.wait(lock, [&] { return !shared.back.empty(); });
            if (!shared.back.empty()) {
                found = std::move(shared.back.back());
                shared.back.pop_back();
            }
        }
    }
    Py_END_ALLOW_THREADS;
    if (!found) return nullptr;
    --out_;
    senders_.erase(std::find(senders_.begin(), senders_.end(), found->node->sequence));
    return found;
}

}  // namespace pullback
