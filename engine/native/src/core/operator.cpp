#include "core/operator.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

#include "base/errors.h"
#include "core/attribute_forms.h"

namespace pullback {
namespace {

constexpr const char* kAttribute = "_native_info";
constexpr const char* kKernelsModule = "pullback.engine.native.kernels";
constexpr const char* kFormAttribute = "_native_form";
constexpr const char* kOwnedAttribute = "_native_owned";

PyRef interned(const char* text) { return checked(PyUnicode_InternFromString(text)); }

std::int32_t to_int(PyObject* value) {
    const long number = PyLong_AsLong(value);
    if (number == -1 && PyErr_Occurred()) throw ErrorSet{};
    return static_cast<std::int32_t>(number);
}

std::int32_t integer(PyObject* object, const char* name) {
    return to_int(attribute(object, name).get());
}

bool truth(PyObject* object, const char* name) {
    return checked(PyObject_IsTrue(attribute(object, name).get())) != 0;
}

std::vector<std::int32_t> integers(PyObject* sequence) {
    const PyRef items = checked(PySequence_Tuple(sequence));
    std::vector<std::int32_t> result;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
        result.push_back(to_int(PyTuple_GET_ITEM(items.get(), i)));
    }
    return result;
}

SavedSource source_of(const std::string& text) {
    if (text == "input") return SavedSource::input;
    return text == "output" ? SavedSource::output : SavedSource::plain;
}

PyObject* entry_key() {
    static PyObject* key = interned(kAttribute).release();
    return key;
}

/// The entry that hangs on an operator; NULL where there is none. Throws ErrorSet.
OperatorInfo* known_info(PyObject* operator_object) {
    PyObject* found = PyObject_GetAttr(operator_object, entry_key());
    if (found != nullptr) {
        const PyRef capsule = PyRef::steal(found);
        return static_cast<OperatorInfo*>(PyCapsule_GetPointer(found, nullptr));
    }
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw ErrorSet{};
    PyErr_Clear();
    return nullptr;
}

void destroy_info(PyObject* capsule) {
    delete static_cast<OperatorInfo*>(PyCapsule_GetPointer(capsule, nullptr));
}

/// A tuple of bools, as Python's operators take patterns.
PyRef pattern(const Mask& mask, std::int32_t count) {
    PyRef tuple = checked(PyTuple_New(count));
    for (std::int32_t i = 0; i < count; ++i) {
        PyTuple_SET_ITEM(tuple.get(), i, PyBool_FromLong(mask.has(i)));
    }
    return tuple;
}

/// True if a kernel is one loop over few arrays. `inputs`: how many there must be, if it is said.
bool is_loop(const KernelLayout* kernel, std::optional<std::int32_t> inputs) {
    return kernel != nullptr && kernel->flat != nullptr &&
           kernel->arguments.size() <= kMostArrays && kernel->outputs.size() <= kMostArrays &&
           std::all_of(kernel->plain_ranks.begin(), kernel->plain_ranks.end(),
                       [](std::int32_t rank) { return rank == -1; }) &&
           (!inputs || kernel->arguments.size() == static_cast<std::size_t>(*inputs));
}

/// The rules of plain values, of an operator that states them.
void read_rules(PyObject* object, std::vector<SavedEntry>& saved) {
    constexpr std::pair<std::string_view, PlainRule> kRules[] = {
        {"attribute", PlainRule::attribute}, {"is_none", PlainRule::is_none},
        {"like", PlainRule::like},           {"shape", PlainRule::shape},
        {"ndim", PlainRule::ndim},
    };
    if (PyObject_HasAttrString(object, "plain_rules") == 0) return;
    const PyRef rules = checked(PySequence_Tuple(attribute(object, "plain_rules").get()));
    for (SavedEntry& entry : saved) {
        if (entry.source != SavedSource::plain) continue;
        PyObject* const given = PyTuple_GET_ITEM(rules.get(), entry.index);
        if (given == Py_None) continue;
        const PyRef pair = checked(PySequence_Tuple(given));
        const std::string name = text_of(PyTuple_GetItem(pair.get(), 0));
        for (const auto& [text, rule] : kRules) {
            if (text == name) entry.rule = rule;
        }
        entry.of = text_of(PyTuple_GetItem(pair.get(), 1));
    }
}

}  // namespace

OperatorInfo::OperatorInfo(PyObject* operator_object, PyObject* owned)
    : object(operator_object), owned_(owned) {
    name = text_of(attribute(object, "name").get());
    n_results = integer(object, "n_results");
    n_hidden = integer(object, "n_hidden");
    n_plain = integer(object, "n_plain");
    result_is_tuple = truth(object, "result_is_tuple");

    const PyRef inputs = checked(PySequence_Tuple(attribute(object, "inputs").get()));
    n_inputs = static_cast<std::int32_t>(PyTuple_GET_SIZE(inputs.get()));
    for (std::int32_t i = 0; i < n_inputs; ++i) {
        PyObject* param = PyTuple_GET_ITEM(inputs.get(), i);
        const PyRef kind = attribute(attribute(param, "var").get(), "kind");
        if (truth(param, "differentiable")) differentiable_inputs.add(i);
        if (text_of(kind.get()) == "list") list_inputs.add(i);
    }
    const PyRef without_gradient = attribute(object, "nondifferentiable");
    for (const std::int32_t index : integers(without_gradient.get())) {
        nondifferentiable.add(index);
    }
    differentiable_outputs = Mask::below(n_outputs()) - nondifferentiable;
    differentiable_results = Mask::below(n_results) - nondifferentiable;
    const PyRef entries = checked(PySequence_Tuple(attribute(object, "saved").get()));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(entries.get()); ++i) {
        // (source, index, name)
        const PyRef entry = checked(PySequence_Tuple(PyTuple_GET_ITEM(entries.get(), i)));
        saved.push_back({source_of(text_of(PyTuple_GetItem(entry.get(), 0))),
                         to_int(PyTuple_GetItem(entry.get(), 1)),
                         text_of(PyTuple_GetItem(entry.get(), 2)), PlainRule::unknown, ""});
    }
    read_rules(object, saved);
    has_barrier = truth(object, "barrier");
    plain_views = truth(object, "plain_views");
    takes_complex = truth(object, "complex");

    const PyRef params = checked(PySequence_Tuple(attribute(object, "attributes").get()));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(params.get()); ++i) {
        PyObject* param = PyTuple_GET_ITEM(params.get(), i);
        const PyRef given = attribute(param, "default");
        Attribute& made = attributes.emplace_back();
        made.name = own(attribute(attribute(param, "var").get(), "name"));
        if (given.get() != Py_None) {
            made.value = own(attribute(given.get(), "value"));
        } else {
            made.value = truth(param, "optional") ? Py_None : nullptr;
        }
    }
    has_attributes = !attributes.empty();

    forms = AttributeForms::of(*this);

    kernel = kernel_layout("forward_layout", nullptr);
    if (list_inputs.empty() && !has_attributes && is_loop(kernel.get(), n_inputs)) {
        flat_inputs = kernel->arguments.size();
    }
    const PyRef find_passed = import_from(kKernelsModule, "passed_on");
    const PyRef passed = checked(PyObject_CallOneArg(find_passed.get(), object));
    for (const std::int32_t index : integers(passed.get())) passed_on.add(index);
    const PyRef other_form = import_from(kKernelsModule, "other_form");
    PyRef other = checked(PyObject_CallOneArg(other_form.get(), object));
    if (other.get() != Py_None) other_dtypes = own(std::move(other));
    if (kernel) {
        const PyRef type = import_from("pullback.engine.core.operator", "Operator");
        forward = own(attribute(type.get(), "forward"));
    } else {
        forward = own(attribute(reinterpret_cast<PyObject*>(Py_TYPE(object)), "forward"));
    }
}

OperatorInfo::~OperatorInfo() = default;

PyObject* OperatorInfo::own(PyRef reference) {
    checked(PyList_Append(owned_, reference.get()));
    return reference.get();
}

/// A layout of pullback.engine.native.kernels; none where there is none.
std::unique_ptr<KernelLayout> OperatorInfo::kernel_layout(const char* which, PyObject* variant) {
    const PyRef function = import_from(kKernelsModule, which);
    PyRef layout = checked(PyObject_CallFunctionObjArgs(function.get(), object, variant, nullptr));
    if (layout.get() == Py_None) return nullptr;
    return KernelLayout::of(own(std::move(layout)));
}

std::string OperatorInfo::input_name(std::int32_t index) const {
    const PyRef param = checked(PySequence_GetItem(attribute(object, "inputs").get(), index));
    return text_of(attribute(attribute(param.get(), "var").get(), "name").get());
}

OperatorInfo& OperatorInfo::of(PyObject* operator_object) {
    if (OperatorInfo* known = known_info(operator_object)) return *known;
    const PyRef compiled_form = import_from(kKernelsModule, "compiled_form");
    const PyRef form = checked(PyObject_CallOneArg(compiled_form.get(), operator_object));
    const PyRef owned = checked(PyList_New(0));
    auto info = std::make_unique<OperatorInfo>(form.get(), owned.get());
    OperatorInfo* made = info.get();
    const PyRef capsule = checked(PyCapsule_New(made, nullptr, destroy_info));
    static_cast<void>(info.release());
    // All this ran Python, and so other threads: one of them may have made the entry meanwhile.
    if (OperatorInfo* known = known_info(operator_object)) return *known;
    checked(PyObject_SetAttr(operator_object, entry_key(), capsule.get()));
    checked(PyObject_SetAttrString(operator_object, kFormAttribute, form.get()));
    checked(PyObject_SetAttrString(operator_object, kOwnedAttribute, owned.get()));
    return *made;
}

OperatorInfo& OperatorInfo::of_name(const char* name) {
    const PyRef formulas = import_from("pullback.engine.core.registry", "FORMULAS");
    const PyRef entry = checked(PyObject_CallMethod(formulas.get(), "of_operator", "s", name));
    return of(attribute(entry.get(), "operator").get());
}

OperatorInfo& OperatorInfo::accumulate() {
    // Not found by the initializer: who waits for that one holds Python's lock, and it runs Python.
    static constinit std::atomic<OperatorInfo*> found{nullptr};
    if (found == nullptr) found = &of_name("accumulate");
    return *found;
}

Variant* OperatorInfo::known_variant(const Mask& defined, const Mask& needed) {
    for (const std::unique_ptr<Variant>& known : variants_) {
        if (known->defined == defined && known->needed == needed) return last_ = known.get();
    }
    return nullptr;
}

Variant& OperatorInfo::find_variant(const Mask& defined, const Mask& needed) {
    if (Variant* known = known_variant(defined, needed)) return *known;
    static PyObject* backward = interned("backward").release();
    PyRef made =
        checked(PyObject_CallMethodObjArgs(object, backward, pattern(defined, n_outputs()).get(),
                                           pattern(needed, n_inputs).get(), nullptr));
    auto variant = std::make_unique<Variant>();
    variant->defined = defined;
    variant->needed = needed;
    variant->call = own(attribute(made.get(), "call"));
    const PyRef closure_of = import_from(kKernelsModule, "closure_of");
    variant->closure = own(checked(PyObject_CallOneArg(closure_of.get(), made.get())));
    variant->reads = integers(attribute(made.get(), "reads").get());
    variant->relied.assign(saved.size(), false);
    const PyRef relied_on = import_from(kKernelsModule, "relied_on");
    const PyRef relied = checked(PyObject_CallOneArg(relied_on.get(), made.get()));
    for (const std::int32_t index : integers(relied.get())) {
        variant->relied[static_cast<std::size_t>(index)] = true;
    }
    for (const std::int32_t index : integers(attribute(made.get(), "materialize").get())) {
        variant->materialize.add(index);
    }
    find_slots(*variant);
    variant->made = own(std::move(made));
    // All this ran Python, and so other threads: one of them may have made the variant meanwhile.
    if (Variant* known = known_variant(defined, needed)) return *known;
    variants_.push_back(std::move(variant));
    return *(last_ = variants_.back().get());
}

void OperatorInfo::lay_out(Variant& variant) {
    std::unique_ptr<KernelLayout> layout = kernel_layout("backward_layout", variant.made);
    if (variant.has_layout) return;  // another thread was here, and runs it perhaps
    variant.kernel = std::move(layout);
    variant.is_flat = list_inputs.empty() && is_loop(variant.kernel.get(), {});
    variant.has_layout = true;
}

void OperatorInfo::find_slots(Variant& variant) const {
    variant.slots.assign(saved.size(), kNotSaved);
    for (const std::int32_t read : variant.reads) {
        const SavedEntry& entry = saved[static_cast<std::size_t>(read)];
        Slot& slot = variant.slots[static_cast<std::size_t>(read)];
        SavedPlace place{entry.source, variant.relied[static_cast<std::size_t>(read)], entry.index};
        if (entry.source == SavedSource::plain && kernel && !kernel->plain_likes.empty()) {
            place.index = kernel->plain_likes[static_cast<std::size_t>(entry.index)];
            const bool is_like = kernel->plain_ranks[static_cast<std::size_t>(entry.index)] == -1;
            if (is_like && place.index >= 0 && variant.needed.has(place.index) &&
                !list_inputs.has(place.index)) {
                slot = like_of(place.index);
                continue;
            }
        }
        slot = static_cast<Slot>(variant.saved_places.size());
        variant.saved_places.push_back(place);
    }
}

}  // namespace pullback
