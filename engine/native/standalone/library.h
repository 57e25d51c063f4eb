// What operators this engine knows, by name.
#pragma once

#include <list>
#include <map>
#include <string>
#include <vector>

#include "pullback/builtin_kernels.h"
#include "pullback/link.h"
#include "saved.h"

namespace pullback::standalone {

using Function = Tensors (*)(const Saved& saved);

/// What a backward's kernel takes, and where that stands among its kind.
struct KernelArgument {
    char kind;  // as in `LibraryOperator::backward_kernel`
    std::size_t position;
};

struct LibraryOperator {
    std::string name;
    bool variadic = false;  // its inputs are one list, of any length
    int inputs = 1;
    std::vector<Named> attributes = {};  // in order, with defaults
    bool makes_floats = false;           // of integers too
    std::string kernel = {};             // of its forward: 'T' or 'b' for each input
    Function forward = nullptr;          // over operators, or computed here
    Function backward = nullptr;         // none: its results are constants
    std::string backward_kernel = {};    // what it takes: "i0" an input, "o0" a result, "g0" its
                                         // gradient, "l0" the shape and dtype of an input
    std::string gradients = {};          // the input that each of its outputs belongs to: "02"
    unsigned reads_inputs = 0;           // bit i: the backward reads the values of input i
    unsigned reads_outputs = 0;

    bool composite = false;                   // the forward is recorded, operator by operator
    const BuiltinKernel* compiled = nullptr;  // the forward's kernel
    const BuiltinKernel* compiled_backward = nullptr;
    std::size_t direct_inputs = 0;  // of a kernel that is a loop, see `call_directly`; else 0
    std::vector<Link> links = {};   // by input: how a node runs in a chain that needs its gradient
    std::vector<KernelArgument> arguments = {};     // of the backward's kernel
    std::vector<std::size_t> gradient_inputs = {};  // of its outputs
    const pb_operator* defined = nullptr;           // by a program
    std::size_t results = 1;                        // and intermediates:
    std::size_t outputs = 1;

    bool reads_input(std::size_t input) const {
        return variadic ? reads_inputs != 0 : (reads_inputs >> input & 1U) != 0;
    }
    /// Where a node keeps what the backward's kernel takes: an input or a result.
    std::size_t slot(const KernelArgument& argument) const {
        return argument.position + (argument.kind == 'o' ? static_cast<std::size_t>(inputs) : 0);
    }
    /// NULL where it has none.
    const Link* link(std::size_t input) const {
        return input < links.size() && links[input].loop != nullptr ? &links[input] : nullptr;
    }
    /// Where an attribute stands. Throws Error where there is none of this name.
    std::size_t place_of(const char* attribute) const;
};

class Library {
  public:
    /// Everything that the build has.
    static Library& standard();

    /// The operator. Throws Error where there is none, or where it needs Python.
    const LibraryOperator& find(const std::string& name) const;
    /// A program's own operator, which stays as long as the program runs.
    const LibraryOperator& define(const pb_operator& definition);

    void add(LibraryOperator added);
    void add_missing(const char* name, const char* reason) { missing_.emplace(name, reason); }
    /// What computes operators that have neither a kernel nor a text, and those that have no
    /// derivative.
    void add_primitive(const char* name, Function forward) { primitives_.emplace(name, forward); }
    void add_constant(const char* name, Function forward, int inputs,
                      std::vector<Named> attributes = {});
    void add_composite(const char* name, Function function, int inputs,
                       std::vector<Named> attributes);

  private:
    std::map<std::string, LibraryOperator> operators_;
    std::map<std::string, std::string> missing_;
    std::map<std::string, Function> primitives_;
    std::list<pb_operator> definitions_;  // of programs, each the `defined` of an operator:
    std::list<LibraryOperator> defined_;
};

/// Generated: every formula that has a form here.
void add_formulas(Library& library);

void add_arrangements(Library& library);
void add_comparisons(Library& library);
void add_composites(Library& library);
void add_joins(Library& library);
void add_reductions(Library& library);
void add_scans(Library& library);
void add_views(Library& library);

}  // namespace pullback::standalone
