// What each thread of a program has of its own: dead objects for the next ones, and modes.
#pragma once

#include <cstdint>

#include "pullback/arrivals.h"
#include "pullback/kept.h"

struct pb_value;

namespace pullback::standalone {

struct Graph;
struct Node;
struct Storage;

struct Thread {
    bool grad_enabled = true;
    bool marks_taken = false;  // see `WantedIn`
    bool destroying = false;   // a node; see `Node::destroy`
    Node* dying = nullptr;
    std::uint64_t next_sequence = 1;
    Kept<pb_value> values;
    Kept<pb_value> small_values;  // which still have memory for a few elements
    Kept<Storage> storages;
    Kept<Node> nodes;
    Kept<ArrivalIn<Graph>, 1024> arrivals;
    double* spare = nullptr;  // see `LoopMemory`
};

inline constinit thread_local Thread here;

/// Has what this thread keeps freed when it ends. For whoever makes an object that may be kept.
void free_at_end();
/// Memory for loops; see `LoopMemory`.
void* spare_memory(std::size_t block);

}  // namespace pullback::standalone
