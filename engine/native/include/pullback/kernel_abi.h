/* The binary interface of a generated kernel: plain C over DLPack's DLTensor.

   A kernel NAME is two exported functions,

       int NAME_infer(pb_infer* query);
       int NAME_run(const pb_call* call);

   and each generated file FORMULA.cpp exports `uint32_t FORMULA_abi(void)`, the
   PB_KERNEL_ABI that it was compiled with. Call `infer` first: it checks the
   inputs and fills the specification of each output, the workspace's size and
   the number of units. Allocate those, then call `run`. Neither keeps state;
   both may be called from several threads at once.

   Tensors live on the CPU. NULL strides mean C order; strides count elements
   and may be zero or negative; byte offsets are honoured. Outputs must not
   overlap inputs. Inputs and attributes are those that the kernel's layout
   lists (`pullback.engine.kernels.Layout`). */
#ifndef PULLBACK_KERNEL_ABI_H_
#define PULLBACK_KERNEL_ABI_H_

#include <stddef.h>
#include <stdint.h>

#define PB_KERNEL_ABI 1u
#define PB_MAX_DIMS 8

/* DLPack v1's structures, field for field, unless its own header came first. */
#ifndef DLPACK_VERSION
#ifndef DLPACK_MAJOR_VERSION
#ifdef __cplusplus
typedef enum : int32_t { kDLCPU = 1 } DLDeviceType;
#else
typedef enum { kDLCPU = 1 } DLDeviceType;
#endif
typedef enum { kDLInt = 0U, kDLUInt = 1U, kDLFloat = 2U, kDLBool = 6U } DLDataTypeCode;

typedef struct {
    DLDeviceType device_type;
    int32_t device_id;
} DLDevice;

typedef struct {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t* shape;
    int64_t* strides;
    uint64_t byte_offset;
} DLTensor;
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What `infer` and `run` return. Unless PB_OK, `error` holds a text. */
typedef enum {
    PB_OK = 0,
    PB_UNSUPPORTED = 1,  /* this kernel does not take such inputs: use the reference formula */
    PB_INVALID = 2,      /* the inputs do not fit each other */
    PB_ABI_MISMATCH = 3, /* caller and kernel were built for different interfaces */
    PB_SMALLER = 4 /* from `run`: done, but outputs are smaller than `infer` said, because their
                      shape depends on a mask's entries. Their DLTensors' shapes are written, and
                      their elements lie at the beginning, in C order */
} pb_status;

/* An attribute: `i` for int64 and bool (0 or 1), `f` for double. */
typedef union {
    int64_t i;
    double f;
} pb_scalar;

/* c = a b at each place of a stack, for matrices of m x k and k x n floats. Steps
   count elements, any value; c's columns lie next to each other, and its rows and
   places don't overlap. Where a step of c along the stack is 0, c is the sum over
   that axis; those axes come last. With `add`, all that is added to what c holds. */
typedef struct {
    int32_t bits; /* 32 or 64 */
    int32_t add;  /* 0 or 1 */
    int64_t m, n, k;
    const void* a;
    const void* b;
    void* c;
    int64_t a_row, a_column, b_row, b_column, c_row, c_column; /* c_column is 1 */
    int32_t ndim;                                              /* of the stack */
    int64_t shape[PB_MAX_DIMS];
    int64_t a_steps[PB_MAX_DIMS], b_steps[PB_MAX_DIMS], c_steps[PB_MAX_DIMS];
} pb_product;

/* Memory that threads of a device share for totals: 8 bytes for each part of each, and a zero for
   each that counts the parts that are done. */
typedef struct {
    void* totals;
    void* arrived;
} pb_work;

/* The start of a kernel on a device: of KERNEL_float32_i32 and so on, by `bits` of the float type
   and its `variant`, in so many `blocks` of `threads`, or fewer. Pointers to its
   arguments are `arguments`. `work` is one of them, which the callee fills in; NULL where the
   kernel needs no memory for totals. */
typedef enum {
    PB_I32 = 0,      /* indices of 32 bits */
    PB_I64 = 1,      /* of 64 */
    PB_PACKED = 2,   /* of 32, and 16 bytes of floats for each thread at once */
    PB_RESIDENT = 3, /* the same of a row, in registers for all passes over it */
    PB_JOINED = 4    /* what joins the totals that blocks of PB_RESIDENT have of their rows */
} pb_variant;

typedef struct {
    const char* kernel;
    int32_t bits;    /* 32 or 64 */
    int32_t variant; /* a pb_variant */
    int64_t blocks;
    int64_t threads; /* of a block: those of the runtime, or fewer */
    void** arguments;
    pb_work* work;
    size_t totals_bytes;
    size_t arrived_bytes; /* zeros before, and zeros again behind it */
    int64_t joining;      /* so many blocks of PB_JOINED after it, with the same arguments and all
                             the runtime's threads */
} pb_launch;

/* Services of the caller. Any function may be NULL; the kernel then does without. Only what starts
   kernels on a device has `launch`: then all data and the workspace are the device's. */
typedef struct {
    void* context; /* handed to each function below */

    void* (*alloc)(void* context, size_t bytes); /* 64-byte aligned, or NULL */
    void (*free)(void* context, void* pointer);

    /* Calls body(argument, begin, end) on disjoint ranges that cover [0, count),
       from any threads, ranges of at least `grain` where there are as many. */
    void (*parallel_for)(void* context, int64_t count, int64_t grain,
                         void (*body)(void* argument, int64_t begin, int64_t end), void* argument);

    void (*gemm)(void* context, const pb_product* product);

    int (*launch)(void* context, const pb_launch* launch); /* 0 where it was started */
    const void* zero;                                      /* 16 bytes of zeros on the device */
    int32_t threads;                                       /* of a block of the device */
} pb_runtime;

/* Shape and dtype of an output, filled by `infer`. Outputs behind those that are arrays are plain
   values: a shape and dtype, or a number, whose 8 bytes lie in `shape`. */
typedef struct {
    int64_t shape[PB_MAX_DIMS];
    int32_t ndim;
    DLDataType dtype;
} pb_spec;

typedef struct {
    uint32_t abi; /* PB_KERNEL_ABI */
    int32_t n_inputs;
    int32_t n_attrs;
    int32_t n_outputs;
    const DLTensor* const* inputs; /* NULL: undefined or absent. `data` is not read here,
                                      except of saved shapes and numbers */
    const pb_scalar* attrs;

    pb_spec* outputs;       /* filled */
    size_t workspace_bytes; /* filled; the workspace is 64-byte aligned */
    int64_t units;          /* filled: `run` may be split into ranges of [0, units) */
    uint64_t can_add;       /* filled: bit k where `run` can add to what output k holds */

    char* error; /* a buffer for a text, or NULL */
    size_t error_bytes;
} pb_infer;

typedef struct {
    uint32_t abi; /* PB_KERNEL_ABI */
    int32_t n_inputs;
    int32_t n_attrs;
    int32_t n_outputs;
    const DLTensor* const* inputs; /* NULL: undefined or absent; NULL data: shape and dtype only */
    const pb_scalar* attrs;
    const DLTensor* const* outputs; /* NULL: nobody needs it */

    void* workspace;
    size_t workspace_bytes;
    int64_t begin; /* the range of units to do: [0, units) for everything */
    int64_t end;
    uint64_t add; /* bit k: output k holds values to add to, as `infer` said it can */

    const pb_runtime* runtime; /* or NULL */

    char* error; /* a buffer for a text, or NULL */
    size_t error_bytes;
} pb_call;

typedef int (*pb_infer_function)(pb_infer* query);
typedef int (*pb_run_function)(const pb_call* call);

/* A pointwise kernel may export its loop too, as NAME_flat: all arrays are of one
   shape, in C order, of floats of 32 or 64 bits, `size` of them. Pointers are in
   the order of `pb_call`'s arrays; those of inputs that are only shapes may be
   NULL, and no other. An output that is the only one may be an input. Returns a
   status; unless that is PB_OK it has done nothing. */
typedef int (*pb_flat_function)(int32_t bits, const void* const* inputs, void* const* outputs,
                                int64_t size);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* PULLBACK_KERNEL_ABI_H_ */
