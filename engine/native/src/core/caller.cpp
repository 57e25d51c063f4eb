#include "core/caller.h"

#include <array>
#include <cstdint>
#include <string_view>

#include "base/errors.h"

namespace pullback {
namespace {

/// True if a module belongs to this package or to what stands between it and its caller.
bool is_internal_module(PyObject* globals) {
    PyObject* name = PyDict_GetItemString(globals, "__name__");
    const char* text = name != nullptr && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    if (text == nullptr) return false;
    const std::string_view module(text);
    const std::string_view package = module.substr(0, module.find('.'));
    return package == "pullback" || package == "numpy" || package == "typeguard";
}

/// A code object, classified. It is kept alive, so that no other one takes its address.
struct Known {
    PyRef code;
    bool internal = false;
};

constexpr std::size_t kKnown = 256;  // a power of two

std::array<Known, kKnown>& known() {
    static auto* table = new std::array<Known, kKnown>;
    return *table;
}

/// `globals` gives the dict of the module that the code belongs to.
template <typename Globals>
bool is_internal(PyCodeObject* code, const Globals& globals) {
    auto* object = reinterpret_cast<PyObject*>(code);
    const auto address = reinterpret_cast<std::uintptr_t>(code);
    Known& place = known()[(address >> 4 ^ address >> 12) % kKnown];
    if (place.code.get() == object) [[likely]]
        return place.internal;
    const bool internal = is_internal_module(globals().get());
    place.internal = internal;
    place.code = PyRef::borrow(object);
    return internal;
}

}  // namespace

#ifdef PULLBACK_FRAMES_OF_3_11

PyCodeObject* last_caller = nullptr;

namespace {

Caller caller_at(const _PyInterpreterFrame* frame) {
    return {PyRef::borrow(reinterpret_cast<PyObject*>(frame->f_code)), place_in(frame)};
}

}  // namespace

Caller find_caller() {
    const _PyInterpreterFrame* const innermost = innermost_frame(PyThreadState_Get());
    if (innermost != nullptr && innermost->f_code == last_caller) [[likely]]
        return caller_at(innermost);
    const _PyInterpreterFrame* found = nullptr;
    for (const _PyInterpreterFrame* frame = innermost; frame != nullptr; frame = frame->previous) {
        if (_PyFrame_IsIncomplete(const_cast<_PyInterpreterFrame*>(frame))) continue;
        found = frame;
        if (!is_internal(frame->f_code, [=] { return PyRef::borrow(frame->f_globals); })) break;
    }
    if (found == nullptr) return {};
    if (!is_internal(found->f_code, [=] { return PyRef::borrow(found->f_globals); })) {
        auto* before = reinterpret_cast<PyObject*>(std::exchange(last_caller, found->f_code));
        Py_INCREF(found->f_code);
        Py_XDECREF(before);
    }
    return caller_at(found);
}

#else

Caller find_caller() {
    PyFrameObject* frame = PyEval_GetFrame();
    if (frame == nullptr) return {};
    auto code = Ref<PyCodeObject>::steal(PyFrame_GetCode(frame));
    Ref<PyFrameObject> outer;
    while (is_internal(code.get(), [=] { return PyRef::steal(PyFrame_GetGlobals(frame)); })) {
        auto next = Ref<PyFrameObject>::steal(PyFrame_GetBack(frame));
        if (!next) break;
        outer = std::move(next);
        frame = outer.get();
        code = Ref<PyCodeObject>::steal(PyFrame_GetCode(frame));
    }
    return {PyRef::steal(code.release_object()), PyFrame_GetLasti(frame)};
}

#endif

std::string place_of(PyObject* code, int instruction) {
    auto* object = reinterpret_cast<PyCodeObject*>(code);
    const PyRef place = import_from("pullback.transpile.cells", "place");
    return text_of(checked(PyObject_CallFunction(place.get(), "Oi", object->co_filename,
                                                 PyCode_Addr2Line(object, instruction)))
                       .get());
}

void remember_stack(Node& node) {
    static PyObject* stack = nullptr;
    import_once(stack, "pullback.engine.debugging.anomaly", "stack");
    node.more().stack = checked(PyObject_CallNoArgs(stack));
}

}  // namespace pullback
