/* Operators of torch.ops that run kernels of kernel_abi.h, with one autograd node for all of them.

   A `Level` is a kernel as an operator: level 0 is a formula's forward, the next one its backward,
   and so on. A call of a level that is recorded leaves a `KernelNode`, which asks for a `Plan` per
   pattern of defined and needed gradients: a kernel, whose own call may be recorded as the next
   level, or none. Whatever no kernel takes goes to Python: a call to the operator that runs op by
   op, a backward to the emitted text of the same formula. Python describes levels and plans in rows
   of 64-bit integers, which `levels.py` writes. */
#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/stack.h>
#include <Python.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <pullback/kernel_abi.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/library.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using at::Tensor;
using torch::autograd::Edge;
using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

constexpr size_t kMost = 64;                // tensors of a call: patterns are bits of a word
constexpr int64_t kWorthAThread = 1 << 20;  // bytes
const pb_runtime* runtime_of_process = nullptr;

/* Values and kernels */

enum class Kind : uint8_t { kAbsent, kTensor, kPlain, kInteger, kDouble };

/* An argument or a saved value: a tensor, a shape with its dtype, or a number in `spec.shape[0]`.
 */
struct Value {
    Kind kind = Kind::kAbsent;
    Tensor tensor;
    pb_spec spec{};
};

enum class Role : int64_t { kArray, kLike, kInteger, kDouble };

/* An input of a kernel: which of the values it is taken from. */
struct Entry {
    int64_t value;
    Role role;
};

struct Kernel {
    pb_infer_function infer = nullptr;
    pb_run_function run = nullptr;
    pb_flat_function flat = nullptr;
    std::vector<Entry> entries;
    int64_t outputs = 0;
    int64_t plain = 0;  // outputs behind the arrays
};

/* Reads a row of integers. */
class Reader {
  public:
    Reader(const int64_t* words, int64_t count) : at_(words), end_(words + count) {}

    int64_t word() {
        TORCH_INTERNAL_ASSERT(at_ < end_, "a description that is too short");
        return *at_++;
    }

    std::vector<int64_t> words() {
        std::vector<int64_t> found(static_cast<size_t>(word()));
        for (int64_t& one : found) one = word();
        return found;
    }

    Kernel kernel() {
        Kernel made;
        made.infer = reinterpret_cast<pb_infer_function>(word());
        made.run = reinterpret_cast<pb_run_function>(word());
        made.flat = reinterpret_cast<pb_flat_function>(word());
        const int64_t count = word();
        for (int64_t k = 0; k < count; ++k) {
            const int64_t value = word();
            made.entries.push_back({value, static_cast<Role>(word())});
        }
        made.outputs = word();
        made.plain = word();
        return made;
    }

  private:
    const int64_t* at_;
    const int64_t* end_;
};

/* True for a tensor whose memory a kernel can read: of the CPU, strided, nobody's subclass or
 * wrapper. */
bool is_plain(const Tensor& x) {
    constexpr c10::DispatchKeySet allowed({c10::DispatchKey::CPU, c10::DispatchKey::AutogradCPU,
                                           c10::DispatchKey::ADInplaceOrView,
                                           c10::DispatchKey::AutocastCPU});
    if ((x.key_set().raw_repr() & ~allowed.raw_repr()) != 0 || x.dim() > PB_MAX_DIMS) return false;
    const auto type = x.scalar_type();
    return (type == at::kFloat || type == at::kDouble || type == at::kBool) &&
           !x._fw_grad(0).defined();
}

DLDataType data_type(at::ScalarType type) {
    if (type == at::kFloat) return {kDLFloat, 32, 1};
    if (type == at::kDouble) return {kDLFloat, 64, 1};
    if (type == at::kBool) return {kDLBool, 8, 1};
    return {kDLInt, 64, 1};
}

at::ScalarType scalar_type(const DLDataType& type) {
    if (type.code == kDLFloat) return type.bits == 32 ? at::kFloat : at::kDouble;
    return type.code == kDLBool ? at::kBool : at::kLong;
}

pb_spec like(const Tensor& x) {
    pb_spec made{};
    made.ndim = static_cast<int32_t>(x.dim());
    made.dtype = data_type(x.scalar_type());
    for (int64_t axis = 0; axis < x.dim(); ++axis) made.shape[axis] = x.size(axis);
    return made;
}

Tensor empty(const pb_spec& spec) {
    return at::detail::empty_cpu(c10::IntArrayRef(spec.shape, static_cast<size_t>(spec.ndim)),
                                 scalar_type(spec.dtype));
}

int64_t of_double(double value) {
    int64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

pb_scalar number(const Value& value, Role role) {
    pb_scalar made{};
    made.i = value.kind == Kind::kAbsent ? 0 : value.spec.shape[0];
    if (role == Role::kDouble && value.kind == Kind::kInteger) made.f = static_cast<double>(made.i);
    return made;
}

/* A workspace of 64-byte alignment, small ones without the allocator. */
class Workspace {
  public:
    explicit Workspace(size_t bytes) {
        if (bytes > sizeof small_) large_.reset(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
        failed_ = bytes > sizeof small_ && large_ == nullptr;
    }
    void* data() { return large_ != nullptr ? large_.get() : small_; }
    bool failed() const { return failed_; }

  private:
    struct Free {
        void operator()(void* pointer) const { std::free(pointer); }
    };
    alignas(64) char small_[1024];
    std::unique_ptr<void, Free> large_;
    bool failed_ = false;
};

/* Runs a pointwise kernel's loop: all arrays have one shape in C order, and one float type. */
bool run_flat(const Kernel& kernel, const Value* const* values, uint64_t wanted,
              std::vector<Tensor>& outputs) {
    if (wanted != (uint64_t{1} << kernel.outputs) - 1) return false;  // the loop writes all of them
    const Tensor* first = nullptr;
    const void* inputs[kMost];
    size_t count = 0;
    for (const Entry& entry : kernel.entries) {
        const Value& value = *values[count];
        if (entry.role == Role::kLike || value.kind == Kind::kPlain) {
            inputs[count++] = nullptr;
            continue;
        }
        if (entry.role != Role::kArray || value.kind != Kind::kTensor) return false;
        const Tensor& x = value.tensor;
        if (first == nullptr) {
            first = &x;
            if (x.scalar_type() == at::kBool) return false;
        } else if (x.scalar_type() != first->scalar_type() || x.sizes() != first->sizes()) {
            return false;
        }
        if (!x.is_contiguous()) return false;
        inputs[count++] = x.const_data_ptr();
    }
    if (first == nullptr) return false;
    // Shapes stand for tensors of this shape alone.
    count = 0;
    for (const Entry& entry : kernel.entries) {
        const Value& value = *values[count++];
        if (entry.role == Role::kArray && value.kind == Kind::kTensor) continue;
        const pb_spec& spec = value.kind == Kind::kTensor ? like(value.tensor) : value.spec;
        if (value.kind != Kind::kTensor && value.kind != Kind::kPlain) return false;
        if (c10::IntArrayRef(spec.shape, static_cast<size_t>(spec.ndim)) != first->sizes())
            return false;
        if (scalar_type(spec.dtype) != first->scalar_type()) return false;
    }
    void* results[kMost] = {};
    for (int64_t k = 0; k < kernel.outputs; ++k) {
        outputs[static_cast<size_t>(k)] =
            at::detail::empty_cpu(first->sizes(), first->scalar_type());
        results[k] = outputs[static_cast<size_t>(k)].mutable_data_ptr();
    }
    const int32_t bits = first->scalar_type() == at::kFloat ? 32 : 64;
    const int64_t size = first->numel();
    const int64_t grain = kWorthAThread / 8;
    if (size <= grain) return kernel.flat(bits, inputs, results, size) == PB_OK;
    std::atomic<bool> done{true};
    at::parallel_for(0, size, grain, [&](int64_t begin, int64_t end) {
        const void* from[kMost];
        void* to[kMost];
        for (size_t k = 0; k < kernel.entries.size(); ++k) {
            from[k] = inputs[k] == nullptr ? nullptr
                                           : static_cast<const char*>(inputs[k]) + begin * bits / 8;
        }
        for (int64_t k = 0; k < kernel.outputs; ++k)
            to[k] = static_cast<char*>(results[k]) + begin * bits / 8;
        if (kernel.flat(bits, from, to, end - begin) != PB_OK) done = false;
    });
    return done;
}

/* Runs a kernel on a value per entry. False where it does not take them; then nothing was done.
   `outputs` has a tensor per wanted output, `plain` a value per output behind those. */
bool run(const Kernel& kernel, const Value* const* values, uint64_t wanted,
         std::vector<Tensor>& outputs, std::vector<pb_spec>& plain) {
    outputs.assign(static_cast<size_t>(kernel.outputs), Tensor());
    if (kernel.flat != nullptr && kernel.plain == 0 && run_flat(kernel, values, wanted, outputs))
        return true;
    DLTensor tensors[kMost];
    const DLTensor* inputs[kMost];
    pb_scalar numbers[kMost];
    int32_t n_inputs = 0, n_numbers = 0;
    int64_t bytes = 0;
    for (size_t k = 0; k < kernel.entries.size(); ++k) {
        const Entry& entry = kernel.entries[k];
        const Value& value = *values[k];
        if (entry.role == Role::kInteger || entry.role == Role::kDouble) {
            if (value.kind == Kind::kTensor || value.kind == Kind::kPlain) return false;
            numbers[n_numbers++] = number(value, entry.role);
            continue;
        }
        if (value.kind == Kind::kAbsent && entry.role == Role::kArray) {
            inputs[n_inputs++] = nullptr;
            continue;
        }
        if (value.kind == Kind::kInteger || value.kind == Kind::kDouble) return false;
        DLTensor& made = tensors[n_inputs];
        made = {};
        made.device = {kDLCPU, 0};
        if (value.kind == Kind::kTensor) {
            const Tensor& x = value.tensor;
            made.ndim = static_cast<int32_t>(x.dim());
            made.dtype = data_type(x.scalar_type());
            made.shape = const_cast<int64_t*>(x.sizes().data());
            made.strides = const_cast<int64_t*>(x.strides().data());
            if (entry.role == Role::kArray) {
                made.data = const_cast<void*>(x.const_data_ptr());
                bytes += static_cast<int64_t>(x.nbytes());
            }
        } else {
            made.ndim = value.spec.ndim;
            made.dtype = value.spec.dtype;
            made.shape = const_cast<int64_t*>(value.spec.shape);
            if (made.dtype.bits == 0) made.dtype = {kDLFloat, 64, 1};
        }
        inputs[n_inputs] = &made;
        ++n_inputs;
    }
    const auto n_specs = static_cast<size_t>(kernel.outputs + kernel.plain);
    std::vector<pb_spec> specs(n_specs + 1);
    pb_infer query{};
    query.abi = PB_KERNEL_ABI;
    query.n_inputs = n_inputs;
    query.n_attrs = n_numbers;
    query.n_outputs = static_cast<int32_t>(n_specs);
    query.inputs = inputs;
    query.attrs = numbers;
    query.outputs = specs.data();
    if (kernel.infer(&query) != PB_OK) return false;

    DLTensor made[kMost];
    const DLTensor* results[kMost] = {};
    for (size_t k = 0; k < static_cast<size_t>(kernel.outputs); ++k) {
        if ((wanted >> k & 1) == 0) continue;
        outputs[k] = empty(specs[k]);
        made[k] = {};
        made[k].data = outputs[k].mutable_data_ptr();
        made[k].device = {kDLCPU, 0};
        made[k].ndim = specs[k].ndim;
        made[k].dtype = specs[k].dtype;
        made[k].shape = specs[k].shape;
        results[k] = &made[k];
        bytes += static_cast<int64_t>(outputs[k].nbytes());
    }
    Workspace workspace(query.workspace_bytes);
    if (workspace.failed()) return false;
    pb_call call{};
    call.abi = PB_KERNEL_ABI;
    call.n_inputs = n_inputs;
    call.n_attrs = n_numbers;
    call.n_outputs = query.n_outputs;
    call.inputs = inputs;
    call.attrs = numbers;
    call.outputs = results;
    call.workspace = workspace.data();
    call.workspace_bytes = query.workspace_bytes;
    call.end = query.units;
    call.runtime = runtime_of_process;
    const int64_t parts = query.workspace_bytes != 0
                              ? 1
                              : std::min({static_cast<int64_t>(at::get_num_threads()), query.units,
                                          bytes / kWorthAThread});
    if (parts <= 1) {
        if (kernel.run(&call) != PB_OK) return false;
    } else {
        std::atomic<bool> done{true};
        at::parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
            pb_call mine = call;
            mine.begin = query.units * begin / parts;
            mine.end = query.units * end / parts;
            if (kernel.run(&mine) != PB_OK) done = false;
        });
        if (!done) return false;
    }
    plain.assign(specs.begin() + kernel.outputs, specs.begin() + kernel.outputs + kernel.plain);
    return true;
}

/* Levels and plans */

struct Level;

/* The kernel of a backward for one pattern of gradients; values are saved ones, then cotangents. */
struct Plan {
    bool has_kernel = false;
    Kernel kernel;
    std::vector<int64_t> slots;   // the argument that each output is the gradient of; -1: none
    uint64_t wanted = 0;          // outputs that are needed
    std::vector<int64_t> params;  // the value of each argument of `derivative`
    Level* derivative =
        nullptr;  // the same kernel as an operator whose call may be recorded, or none
};

struct Pattern {
    uint64_t defined, needed;
    bool operator==(const Pattern& other) const {
        return defined == other.defined && needed == other.needed;
    }
};

struct HashOfPattern {
    size_t operator()(const Pattern& one) const {
        return one.defined * 0x9E3779B97F4A7C15u ^ one.needed;
    }
};

enum class Place : int64_t { kSpec, kArgument, kLike, kSize, kRank, kOutput };

/* The place of a value that is saved and is no result: an output of the kernel behind the arrays,
   an argument, what an argument or output (counted after them) says (shape and dtype, number of
   elements, whether it has `axes`), or an array of the kernel's, as a mask. */
struct PlainPlace {
    Place place;
    int64_t number, axes;
    Kind kind;
};

enum class Source : int64_t { kArgument, kOutput, kPlain };

struct SavedPlace {
    Source source;
    int64_t position;
};

struct Level {
    std::string name;
    PyObject* owner = nullptr;  // makes plans, and runs backwards op by op
    Kernel kernel;
    int64_t arguments = 0, results = 0, hidden = 0;
    std::vector<int64_t> positions;  // of the kernel's outputs among results and hidden ones
    std::vector<int64_t> differentiable;
    std::vector<PlainPlace> plain;
    std::vector<SavedPlace> saved;
    std::mutex guard;
    std::unordered_map<Pattern, std::unique_ptr<Plan>, HashOfPattern> plans;

    const Plan& plan(uint64_t defined, uint64_t needed);
};

class Gil {
  public:
    Gil() : state_(PyGILState_Ensure()) {}
    ~Gil() { PyGILState_Release(state_); }
    Gil(const Gil&) = delete;
    Gil& operator=(const Gil&) = delete;

  private:
    PyGILState_STATE state_;
};

struct Drop {
    void operator()(PyObject* object) const { Py_XDECREF(object); }
};
using Object = std::unique_ptr<PyObject, Drop>;

/* The object, or the Python error as C++'s. */
Object checked(PyObject* object) {
    if (object == nullptr) {
        python_error error;
        error.persist();
        throw error;
    }
    return Object(object);
}

const Plan& Level::plan(uint64_t defined, uint64_t needed) {
    const Pattern pattern{defined, needed};
    {
        const std::lock_guard lock(guard);
        const auto found = plans.find(pattern);
        if (found != plans.end()) return *found->second;
    }
    auto made = std::make_unique<Plan>();
    {
        const Gil gil;
        const Object words = checked(PyObject_CallMethod(owner, "plan", "KK",
                                                         static_cast<unsigned long long>(defined),
                                                         static_cast<unsigned long long>(needed)));
        char* data = nullptr;
        Py_ssize_t bytes = 0;
        if (PyBytes_AsStringAndSize(words.get(), &data, &bytes) != 0) checked(nullptr);
        if (bytes != 0) {
            std::vector<int64_t> row(static_cast<size_t>(bytes) / sizeof(int64_t));
            std::memcpy(row.data(), data, row.size() * sizeof(int64_t));
            Reader reader(row.data(), static_cast<int64_t>(row.size()));
            made->has_kernel = true;
            made->kernel = reader.kernel();
            made->slots = reader.words();
            made->wanted = static_cast<uint64_t>(reader.word());
            made->params = reader.words();
            made->derivative = reinterpret_cast<Level*>(reader.word());
        }
    }
    const std::lock_guard lock(guard);
    return *plans.try_emplace(pattern, std::move(made)).first->second;
}

Object wrapped(const Tensor& x) {
    if (x.defined()) return checked(THPVariable_Wrap(x));
    return Object(Py_NewRef(Py_None));
}

/* A value that is no array, for Python: a number, or extents with code and bits of the dtype. */
Object wrapped(const Value& value) {
    switch (value.kind) {
        case Kind::kTensor:
            return wrapped(value.tensor);
        case Kind::kInteger:
            return checked(PyLong_FromLongLong(value.spec.shape[0]));
        case Kind::kDouble: {
            double number;
            std::memcpy(&number, value.spec.shape, sizeof number);
            return checked(PyFloat_FromDouble(number));
        }
        case Kind::kPlain: {
            Object made = checked(PyTuple_New(value.spec.ndim + 2));
            PyTuple_SET_ITEM(made.get(), 0, PyLong_FromLong(value.spec.dtype.code));
            PyTuple_SET_ITEM(made.get(), 1, PyLong_FromLong(value.spec.dtype.bits));
            for (int32_t axis = 0; axis < value.spec.ndim; ++axis) {
                PyTuple_SET_ITEM(made.get(), axis + 2, PyLong_FromLongLong(value.spec.shape[axis]));
            }
            return made;
        }
        default:
            return Object(Py_NewRef(Py_None));
    }
}

template <class Values>
Object list_of(const Values& values) {
    Object made = checked(PyList_New(static_cast<Py_ssize_t>(values.size())));
    for (size_t k = 0; k < values.size(); ++k) {
        PyList_SET_ITEM(made.get(), static_cast<Py_ssize_t>(k), wrapped(values[k]).release());
    }
    return made;
}

bool call(Level& level, const std::vector<Value>& arguments, uint64_t wanted, bool record,
          std::vector<Tensor>& outputs);

/* The backward of a level's call. */
struct KernelNode final : Node {
    explicit KernelNode(Level& level) : level_(level) {}

    std::string name() const override { return level_.name; }

    void release_variables() override {
        const std::lock_guard lock(guard_);
        released_ = true;
        tensors_.clear();
    }

    /* Saves what the backward reads: tensors as saved variables, all else as it is. */
    void save(const std::vector<Value>& arguments, const std::vector<Tensor>& outputs,
              const std::vector<Value>& plain) {
        tensors_.reserve(level_.saved.size());
        values_.resize(level_.saved.size());
        for (size_t k = 0; k < level_.saved.size(); ++k) {
            const SavedPlace& place = level_.saved[k];
            const auto position = static_cast<size_t>(place.position);
            if (place.source == Source::kPlain && plain[position].kind == Kind::kTensor) {
                save(k, plain[position].tensor, false);
            } else if (place.source == Source::kPlain) {
                values_[k] = plain[position];
            } else if (place.source == Source::kArgument) {
                if (arguments[position].kind == Kind::kTensor)
                    save(k, arguments[position].tensor, false);
            } else if (outputs[position].defined()) {
                save(k, outputs[position], level_.differentiable[position] != 0);
            }
        }
    }

    variable_list apply(variable_list&& gradients) override {
        const std::lock_guard lock(guard_);
        TORCH_CHECK(!released_ || level_.saved.empty(), torch::autograd::ERR_BACKWARD_TWICE);
        uint64_t defined = 0, needed = 0;
        bool plain = !c10::impl::TorchDispatchModeTLS::any_modes_set();
        for (size_t k = 0; k < gradients.size(); ++k) {
            if (!gradients[k].defined()) continue;
            defined |= uint64_t{1} << k;
            plain = plain && is_plain(gradients[k]);
        }
        variable_list found(num_outputs());
        if (defined == 0) return found;
        for (uint32_t k = 0; k < num_outputs(); ++k) {
            if (task_should_compute_output(k)) needed |= uint64_t{1} << k;
        }
        std::vector<Value> values(values_);
        bool record = false;
        size_t next = 0;
        for (size_t k = 0; k < values.size(); ++k) {
            if (values[k].kind != Kind::kTensor) continue;
            values[k].tensor = tensors_[next++].unpack(getptr());
            plain = plain && is_plain(values[k].tensor);
            record = record || values[k].tensor.requires_grad();
        }
        for (const Tensor& gradient : gradients)
            record = record || (gradient.defined() && gradient.requires_grad());
        record = record && at::GradMode::is_enabled();
        if (plain) {
            const Plan& plan = level_.plan(defined, needed);
            if (plan.has_kernel && by_kernel(plan, values, gradients, record, found)) return found;
        }
        return by_python(values, gradients, needed);
    }

  private:
    void save(size_t k, const Tensor& x, bool is_output) {
        values_[k].kind = Kind::kTensor;
        tensors_.emplace_back(x, is_output);
    }

    bool by_kernel(const Plan& plan, std::vector<Value>& values, const variable_list& gradients,
                   bool record, variable_list& found) {
        if (record && plan.derivative == nullptr) return false;
        Value filler;
        for (const Tensor& gradient : gradients) {
            Value& value = values.emplace_back();
            if (!gradient.defined()) continue;
            value.kind = Kind::kTensor;
            value.tensor = gradient;
            if (filler.kind == Kind::kAbsent) {
                filler.kind = Kind::kPlain;
                filler.spec = like(gradient);
            }
        }
        std::vector<Tensor> outputs;
        if (record) {
            std::vector<Value> arguments;
            for (const int64_t one : plan.params)
                arguments.push_back(values[static_cast<size_t>(one)]);
            if (!call(*plan.derivative, arguments, plan.wanted, true, outputs)) return false;
        } else {
            const Value* given[kMost];
            size_t count = 0;
            for (const Entry& entry : plan.kernel.entries) {
                given[count++] =
                    entry.value < 0 ? &filler : &values[static_cast<size_t>(entry.value)];
            }
            std::vector<pb_spec> plain;
            if (!run(plan.kernel, given, plan.wanted, outputs, plain)) return false;
        }
        for (size_t k = 0; k < plan.slots.size(); ++k) {
            if (plan.slots[k] >= 0 && (plan.wanted >> k & 1) != 0) {
                found[static_cast<size_t>(plan.slots[k])] = outputs[k];
            }
        }
        return true;
    }

    variable_list by_python(const std::vector<Value>& values, const variable_list& gradients,
                            uint64_t needed) {
        std::vector<Value> likes(num_inputs());
        for (uint32_t k = 0; k < num_inputs(); ++k) {
            if (likes_.size() > k) likes[k] = likes_[k];
        }
        const Gil gil;
        const Object saved = list_of(std::vector<Value>(
            values.begin(), values.begin() + static_cast<int64_t>(level_.saved.size())));
        const Object cotangents = list_of(gradients);
        const Object shapes = list_of(likes);
        const Object made = checked(PyObject_CallMethod(level_.owner, "backward", "OOOK",
                                                        saved.get(), cotangents.get(), shapes.get(),
                                                        static_cast<unsigned long long>(needed)));
        variable_list found(num_outputs());
        TORCH_INTERNAL_ASSERT(PyList_Check(made.get()) &&
                              PyList_GET_SIZE(made.get()) ==
                                  static_cast<Py_ssize_t>(num_outputs()));
        for (uint32_t k = 0; k < num_outputs(); ++k) {
            PyObject* one = PyList_GET_ITEM(made.get(), k);
            if (one != Py_None) found[k] = THPVariable_Unpack(one);
        }
        return found;
    }

    Level& level_;
    std::mutex guard_;
    bool released_ = false;
    std::vector<SavedVariable> tensors_;
    std::vector<Value> values_;

  public:
    std::vector<Value> likes_;  // of results and hidden outputs
};

/* Calls a level. False where its kernel does not take the arguments. `outputs` are results and
   hidden outputs, these where the call is recorded; `wanted` says of the kernel's outputs which are
   needed. */
bool call(Level& level, const std::vector<Value>& arguments, uint64_t wanted, bool record,
          std::vector<Tensor>& outputs) {
    const Kernel& kernel = level.kernel;
    const Value* given[kMost];
    size_t count = 0;
    for (const Entry& entry : kernel.entries)
        given[count++] = &arguments[static_cast<size_t>(entry.value)];
    for (size_t k = 0; k < level.positions.size(); ++k) {
        if (level.positions[k] >= level.results && record) wanted |= uint64_t{1} << k;
    }
    std::vector<Tensor> made;
    std::vector<pb_spec> specs;
    {
        const at::AutoDispatchBelowADInplaceOrView below;
        if (!run(kernel, given, wanted, made, specs)) return false;
    }
    const auto differentiable = static_cast<size_t>(level.results + level.hidden);
    outputs.assign(differentiable + level.plain.size(), Tensor());
    for (size_t k = 0; k < made.size(); ++k)
        outputs[static_cast<size_t>(level.positions[k])] = made[k];
    if (!record) return true;

    std::vector<Value> plain(level.plain.size());
    for (size_t k = 0; k < plain.size(); ++k) {
        const PlainPlace& place = level.plain[k];
        const auto number = static_cast<size_t>(place.number);
        plain[k].kind = place.kind;
        if (place.place == Place::kOutput) {
            plain[k].tensor = outputs[number];
        } else if (place.place == Place::kSpec) {
            plain[k].spec = specs[number];
        } else if (place.place == Place::kArgument) {
            plain[k] = arguments[number];
        } else {
            const Tensor& x = number < arguments.size() ? arguments[number].tensor
                                                        : outputs[number - arguments.size()];
            if (!x.defined()) {
                plain[k].kind = Kind::kAbsent;
            } else if (place.place == Place::kLike) {
                plain[k].spec = like(x);
            } else {
                plain[k].spec.shape[0] =
                    place.place == Place::kSize ? x.numel() : x.dim() == place.axes;
            }
        }
    }
    auto node = c10::make_intrusive<KernelNode>(level);
    torch::autograd::edge_list edges;
    for (const Value& value : arguments) {
        const bool has = value.kind == Kind::kTensor && value.tensor.requires_grad();
        edges.push_back(has ? torch::autograd::impl::gradient_edge(value.tensor) : Edge());
    }
    node->set_next_edges(std::move(edges));
    node->likes_.resize(differentiable);
    for (size_t k = 0; k < differentiable; ++k) {
        if (outputs[k].defined()) {
            node->likes_[k].kind = Kind::kPlain;
            node->likes_[k].spec = like(outputs[k]);
        }
        if (outputs[k].defined() && level.differentiable[k] != 0) {
            torch::autograd::create_gradient_edge(outputs[k], node);
        } else {
            node->add_input_metadata(Node::undefined_input());
        }
    }
    node->save(arguments, outputs, plain);
    return true;
}

/* Operators */

enum class Argument : int64_t { kTensor, kList, kNumber, kFixed };

/* Facts of a call that kernels are made for, as a key of their table. */
using Facts = std::vector<int64_t>;

struct HashOfFacts {
    size_t operator()(const Facts& facts) const {
        uint64_t hash = facts.size();
        for (const int64_t one : facts) {
            hash = (hash ^ static_cast<uint64_t>(one)) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 29;
        }
        return static_cast<size_t>(hash);
    }
};

PyObject* plain_object(const c10::IValue& value) {
    if (value.isInt()) return PyLong_FromLongLong(value.toInt());
    if (value.isBool()) return PyBool_FromLong(value.toBool());
    if (value.isDouble()) return PyFloat_FromDouble(value.toDouble());
    if (value.isString()) {
        return PyUnicode_FromStringAndSize(value.toStringRef().data(),
                                           static_cast<Py_ssize_t>(value.toStringRef().size()));
    }
    if (value.isList()) {
        const auto values = value.toListRef();
        PyObject* made = PyTuple_New(static_cast<Py_ssize_t>(values.size()));
        for (size_t k = 0; made != nullptr && k < values.size(); ++k) {
            PyTuple_SET_ITEM(made, static_cast<Py_ssize_t>(k), plain_object(values[k]));
        }
        return made;
    }
    return Py_NewRef(Py_None);
}

struct Operator {
    std::string name;
    PyObject* owner = nullptr;
    std::vector<Argument> arguments;
    bool ranks = false;
    int64_t results = 0;
    std::unique_ptr<torch::Library> library;
    std::optional<c10::OperatorHandle> op_by_op;
    std::mutex guard;
    std::unordered_map<Facts, Level*, HashOfFacts> versions;

    Level* version(const Facts& facts, const torch::jit::Stack& stack, size_t first);
};

Level* Operator::version(const Facts& facts, const torch::jit::Stack& stack, size_t first) {
    {
        const std::lock_guard lock(guard);
        const auto found = versions.find(facts);
        if (found != versions.end()) return found->second;
    }
    int64_t address = 0;
    {
        const Gil gil;
        const Object given = checked(PyList_New(static_cast<Py_ssize_t>(arguments.size())));
        for (size_t k = 0; k < arguments.size(); ++k) {
            const c10::IValue& value = stack[first + k];
            PyObject* one = nullptr;
            if (arguments[k] == Argument::kTensor && value.isTensor() &&
                value.toTensor().defined()) {
                one = THPVariable_Wrap(value.toTensor());
            } else if (arguments[k] == Argument::kList) {
                one = list_of(value.toTensorVector()).release();
            } else {
                one = plain_object(value);
            }
            PyList_SET_ITEM(given.get(), static_cast<Py_ssize_t>(k), checked(one).release());
        }
        const Object found = checked(PyObject_CallMethod(owner, "version", "O", given.get()));
        address = PyLong_AsLongLong(found.get());
        if (address == -1 && PyErr_Occurred() != nullptr) checked(nullptr);
    }
    const std::lock_guard lock(guard);
    return versions.try_emplace(facts, reinterpret_cast<Level*>(address)).first->second;
}

/* Adds a tensor to a call; false where kernels take no such one, or not beside the others. */
bool add(const Tensor& x, const Operator& op, Facts& facts, std::vector<Value>& values,
         at::ScalarType& common) {
    if (!is_plain(x)) return false;
    const auto type = x.scalar_type();
    if (type != at::kBool) {
        if (common != at::ScalarType::Undefined && common != type) return false;
        common = type;
    }
    facts.push_back(static_cast<int64_t>(type) * 16 + (op.ranks ? x.dim() : 0));
    Value& value = values.emplace_back();
    value.kind = Kind::kTensor;
    value.tensor = x;
    return true;
}

void add(const c10::IValue& value, Facts& facts) {
    if (value.isInt() || value.isBool()) {
        facts.push_back(value.isInt() ? value.toInt() : value.toBool());
    } else if (value.isDouble()) {
        facts.push_back(of_double(value.toDouble()));
    } else if (value.isString()) {
        facts.push_back(static_cast<int64_t>(value.toStringRef().size()));
        for (const char letter : value.toStringRef()) facts.push_back(letter);
    } else if (value.isList()) {
        const auto values = value.toListRef();
        facts.push_back(static_cast<int64_t>(values.size()));
        for (const c10::IValue& one : values) add(one, facts);
    } else {
        facts.push_back(INT64_MIN);
    }
}

/* The call by a kernel; false where there is none. */
bool by_kernel(Operator& op, torch::jit::Stack& stack, bool may_record) {
    if (c10::impl::TorchDispatchModeTLS::any_modes_set()) return false;
    const size_t first = stack.size() - op.arguments.size();
    Facts facts;
    facts.reserve(16);
    std::vector<Value> tensors, numbers;
    tensors.reserve(op.arguments.size());
    auto common = at::ScalarType::Undefined;
    for (size_t k = 0; k < op.arguments.size(); ++k) {
        const c10::IValue& value = stack[first + k];
        switch (op.arguments[k]) {
            case Argument::kTensor:
                if (!value.isTensor() || !value.toTensor().defined()) {
                    facts.push_back(-1);
                } else if (!add(value.toTensor(), op, facts, tensors, common)) {
                    return false;
                }
                break;
            case Argument::kList: {
                const auto values = value.toListRef();
                facts.push_back(static_cast<int64_t>(values.size()));
                for (const c10::IValue& one : values) {
                    if (!add(one.toTensor(), op, facts, tensors, common)) return false;
                }
                break;
            }
            case Argument::kNumber: {
                if (!value.isDouble()) return false;
                Value& number = numbers.emplace_back();
                number.kind = Kind::kDouble;
                number.spec.shape[0] = of_double(value.toDouble());
                break;
            }
            case Argument::kFixed:
                add(value, facts);
        }
    }
    if (common == at::ScalarType::Undefined) return false;
    Level* level = op.version(facts, stack, first);
    if (level == nullptr) return false;
    bool record = false;
    if (may_record && at::GradMode::is_enabled()) {
        for (const Value& value : tensors) record = record || value.tensor.requires_grad();
    }
    // Tensors first: Python orders a level's arguments so.
    tensors.insert(tensors.end(), numbers.begin(), numbers.end());
    uint64_t wanted = 0;
    for (size_t k = 0; k < level->positions.size(); ++k) {
        if (level->positions[k] < level->results) wanted |= uint64_t{1} << k;
    }
    std::vector<Tensor> outputs;
    if (!call(*level, tensors, wanted, record, outputs)) return false;
    torch::jit::drop(stack, op.arguments.size());
    for (int64_t k = 0; k < op.results; ++k)
        stack.emplace_back(std::move(outputs[static_cast<size_t>(k)]));
    return true;
}

/* What the dispatcher calls. */
struct Dispatched final : c10::OperatorKernel {
    Dispatched(Operator& op, c10::DispatchKey key) : op_(op), key_(key) {}

    void operator()(const c10::OperatorHandle&, c10::DispatchKeySet keys,
                    torch::jit::Stack* stack) {
        if (by_kernel(op_, *stack, key_ == c10::DispatchKey::AutogradCPU)) return;
        op_.op_by_op->redispatchBoxed(keys, stack);
    }

  private:
    Operator& op_;
    c10::DispatchKey key_;
};

}  // namespace

/* What Python calls, by ctypes, with the GIL. Levels and operators live as long as the process. */
#define PB_EXPORTED extern "C" __attribute__((visibility("default")))

PB_EXPORTED void pullback_torch_runtime(const void* runtime) {
    runtime_of_process = static_cast<const pb_runtime*>(runtime);
}

PB_EXPORTED void* pullback_torch_level(PyObject* owner, const char* name, const int64_t* words,
                                       int64_t count) {
    Reader reader(words, count);
    auto level = std::make_unique<Level>();
    level->name = name;
    level->owner = Py_NewRef(owner);
    level->kernel = reader.kernel();
    level->arguments = reader.word();
    level->results = reader.word();
    level->hidden = reader.word();
    level->positions = reader.words();
    level->differentiable = reader.words();
    for (int64_t left = reader.word(); left > 0; --left) {
        PlainPlace place{};
        place.place = static_cast<Place>(reader.word());
        place.number = reader.word();
        place.axes = reader.word();
        place.kind = static_cast<Kind>(reader.word());
        level->plain.push_back(place);
    }
    for (int64_t left = reader.word(); left > 0; --left) {
        const auto source = static_cast<Source>(reader.word());
        level->saved.push_back({source, reader.word()});
    }
    return level.release();
}

PB_EXPORTED void* pullback_torch_operator(PyObject* owner, const char* space, const char* name,
                                          const char* op_by_op, const int64_t* words,
                                          int64_t count) {
    Reader reader(words, count);
    auto op = std::make_unique<Operator>();
    op->name = name;
    op->owner = Py_NewRef(owner);
    op->ranks = reader.word() != 0;
    op->results = reader.word();
    for (const int64_t one : reader.words()) op->arguments.push_back(static_cast<Argument>(one));
    try {
        op->op_by_op = c10::Dispatcher::singleton().findSchemaOrThrow(op_by_op, "");
        op->library = std::make_unique<torch::Library>(torch::Library::FRAGMENT, space,
                                                       std::nullopt, __FILE__, __LINE__);
        for (const auto key : {c10::DispatchKey::CPU, c10::DispatchKey::AutogradCPU}) {
            op->library->impl(name,
                              torch::dispatch(key, torch::CppFunction::makeFromBoxedFunctor(
                                                       std::make_unique<Dispatched>(*op, key))));
        }
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
        return nullptr;
    }
    return op.release();
}

/* Takes the kernels of an operator from the dispatcher, before it is defined anew. */
PB_EXPORTED void pullback_torch_forget(void* op) { static_cast<Operator*>(op)->library.reset(); }
