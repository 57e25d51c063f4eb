#include <array>
#include <cstdint>
#include <string_view>

#include "pullback/engine.h"
#include "pullback/errors.h"

namespace pullback {
namespace {

/// Whether a module belongs to this package or to what stands between it and its caller.
bool is_internal_module(PyFrameObject* frame) {
    const PyRef globals = PyRef::steal(PyFrame_GetGlobals(frame));
    PyObject* name = PyDict_GetItemString(globals.get(), "__name__");
    const char* text = name != nullptr && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    if (text == nullptr) return false;
    const std::string_view module(text);
    const std::string_view package = module.substr(0, module.find('.'));
    return package == "pullback" || package == "numpy" || package == "typeguard";
}

/// What was found out of a code object. It is kept alive, so that no other one takes its address.
struct Known {
    PyCodeObject* code = nullptr;
    bool internal = false;
};

constexpr std::size_t kKnown = 256;  // a power of two
std::array<Known, kKnown> known;

bool is_internal(PyFrameObject* frame, PyCodeObject* code) {
    const auto address = reinterpret_cast<std::uintptr_t>(code);
    Known& place = known[(address >> 4 ^ address >> 12) % kKnown];
    if (place.code != code) {
        const bool internal = is_internal_module(frame);
        PyCodeObject* before = place.code;
        place = {reinterpret_cast<PyCodeObject*>(Py_NewRef(reinterpret_cast<PyObject*>(code))),
                 internal};
        Py_XDECREF(reinterpret_cast<PyObject*>(before));
        return internal;
    }
    return place.internal;
}

}  // namespace

Caller find_caller() {
    PyFrameObject* frame = PyEval_GetFrame();
    if (frame == nullptr) return {};
    auto code = Ref<PyCodeObject>::steal(PyFrame_GetCode(frame));
    Ref<PyFrameObject> outer;
    while (is_internal(frame, code.get())) {
        Ref<PyFrameObject> next = Ref<PyFrameObject>::steal(PyFrame_GetBack(frame));
        if (!next) break;
        outer = std::move(next);
        frame = outer.get();
        code = Ref<PyCodeObject>::steal(PyFrame_GetCode(frame));
    }
    return {PyRef::steal(code.release_object()), PyFrame_GetLasti(frame)};
}

void remember_caller(Node& node) {
    Caller caller = find_caller();
    node.caller = std::move(caller.code);
    node.caller_instruction = caller.instruction;
}

std::string place_of(PyObject* code, int instruction) {
    auto* object = reinterpret_cast<PyCodeObject*>(code);
    return text_of(object->co_filename) + ":" +
           std::to_string(PyCode_Addr2Line(object, instruction));
}

void remember_stack(Node& node) {
    static PyObject* stack = import_from("pullback.engine.anomaly", "stack").release();
    node.more().stack = checked(PyObject_CallNoArgs(stack));
}

}  // namespace pullback
