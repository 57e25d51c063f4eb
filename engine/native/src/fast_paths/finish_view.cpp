#include "fast_paths/finish_view.h"

#include <cstring>
#include <vector>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/caller.h"
#include "core/grad_mode.h"
#include "dispatch/plain_values.h"

namespace pullback {
namespace {

/// The node of a view, or of a copy of an entry; false where the formula saves something else.
bool record(OperatorInfo& info, Tensor& source, Tensor& view, const ViewSpec& spec,
            const Attributes& attributes) {
    const Variant& variant = info.variant(Mask{1}, Mask{1});
    std::vector<PyRef> saved;
    for (const std::int32_t read : variant.reads) {
        const SavedEntry& entry = info.saved[static_cast<std::size_t>(read)];
        if (entry.source != SavedSource::plain) return false;
        if (variant.slots[static_cast<std::size_t>(read)] < 0) continue;
        PyRef value = plain_value(entry, source.object(), attributes);
        if (!value) return false;
        saved.push_back(std::move(value));
    }
    Ref<Node> node = Node::make(NodeKind::call);
    node->operator_object = PyRef::borrow(info.object);
    node->info = &info;
    node->recorded = &variant;
    node->edges.emplace_back(edge_of(source));
    node->renumber();
    node->outputs.emplace_back(view.layout, true);
    const auto item = static_cast<std::int64_t>(item_size(source.layout.dtype()));
    if (source.layout.contiguous() && item > 0 && !spec.repeats) {
        node->shows = (spec.data - static_cast<char*>(source.data())) / item;
    }
    remember_caller(*node);
    for (PyRef& value : saved) node->saved.emplace_back(SavedVariable::plain(std::move(value)));
    view.hang_on(node, 0);
    return true;
}

}  // namespace

bool is_usual(Tensor& tensor) {
    if (!switches.takes(FastPath::views)) return false;
    tensor.refresh();
    return !tensor.cached_array || PyArray_ISWRITEABLE(as_array(tensor.cached_array.get()));
}

Ref<Tensor> finish_view(OperatorInfo* info, Tensor& source, const ViewSpec& spec,
                        const Attributes& attributes) {
    if (info == nullptr || !info->plain_views || info->n_inputs != 1 || info->n_hidden != 0) {
        return {};
    }
    const bool recording = grad_enabled();
    const Layout layout = spec.layout(source.layout.dtype());
    Ref<Tensor> made;
    if (spec.single) {
        if (spec.item == 0) return {};
        made = Tensor::allocate(layout, static_cast<std::size_t>(spec.item));
        std::memcpy(made->data(), spec.data, static_cast<std::size_t>(spec.item));
    } else {
        made = Tensor::view_of(source.storage, spec.data, layout);
        made->show_part_of(source, recording ? Made::plain : Made::unrecorded);
    }
    if (spec.repeats) PyArray_CLEARFLAGS(as_array(made->array()), NPY_ARRAY_WRITEABLE);
    if (recording && source.requires_grad && !record(*info, source, *made, spec, attributes))
        return {};
    return made;
}

}  // namespace pullback
