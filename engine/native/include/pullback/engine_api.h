/* The native engine for operators that are written in C++: a table of C functions.

   `pb.load_operator` hands it to a library of operators. The values are Python
   objects (tensors of either engine, arrays, numbers), and whoever calls a function
   below holds the interpreter's lock. `pullback.h` is the C++ over it. */
#ifndef PULLBACK_ENGINE_API_H_
#define PULLBACK_ENGINE_API_H_

#include "pullback/kernel_abi.h"

#define PB_ENGINE_API 3
#define PB_ENGINE_API_CAPSULE "pullback.engine.native._native.engine_api"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pb_value pb_value;       /* a tensor or a number, counted */
typedef struct pb_function pb_function; /* an operator by its name, valid for ever */

/* Shape and dtype. */
typedef struct {
    DLDataType dtype;
    int32_t ndim;
    const int64_t* shape;
} pb_like;

/* One part of an index: a place, a range, every axis between, or a new axis of length one. */
typedef enum { PB_PLACE, PB_RANGE, PB_ELLIPSIS, PB_NEW_AXIS } pb_part_kind;
typedef struct {
    pb_part_kind kind;
    int64_t start; /* of a place too */
    int64_t stop;
    int64_t step;
    int32_t has_start; /* a range may leave its ends open */
    int32_t has_stop;
} pb_index_part;

typedef enum {
    PB_NOTHING,
    PB_TRUTH,
    PB_INTEGER,
    PB_NUMBER,
    PB_TEXT,
    PB_INTEGERS,
    PB_INDEX,
    PB_LIKE
} pb_attribute_kind;

/* An attribute of a call: an axis, a shape. */
typedef struct {
    const char* name;
    pb_attribute_kind kind;
    int64_t integer; /* 0 or 1 for a truth */
    double number;
    const char* text;
    size_t count; /* of integers, or of parts */
    const int64_t* integers;
    const pb_index_part* parts;
    pb_like like;
} pb_attribute;

/* A call of an operator's backward. */
typedef struct {
    size_t n_inputs;
    size_t n_outputs;
    pb_value* const* inputs;    /* NULL where the call had none */
    pb_value* const* outputs;   /* results, then intermediates */
    pb_value* const* gradients; /* of the outputs; NULL: nothing depends on them */
    const uint8_t* needed;      /* of the inputs: whether a gradient is asked for */
} pb_backward;

/* An operator of a library. A function that fails returns its error, a text that is valid until the
   next call in the thread, else NULL. What it returns in an array belongs to the caller. */
typedef struct {
    const char* name;
    int32_t n_inputs;
    int32_t n_results;
    int32_t n_intermediates;
    const char* const* input_names;
    const char* const* intermediate_names;
    void* context; /* handed to each function below */
    /* Nothing is recorded, and inputs don't require grad. Fills results, then intermediates. */
    const char* (*forward)(void* context, pb_value* const* inputs, pb_value** outputs);
    /* A gradient per input, NULL for zero. It is recorded where a higher derivative is wanted. */
    const char* (*backward)(void* context, const pb_backward* call, pb_value** gradients);
} pb_operator;

/* Whoever gets a value from a function releases it. A function that fails gives
   NULL or -1, and `error` tells why until the next call. */
typedef struct {
    uint32_t version; /* PB_ENGINE_API */

    void (*retain)(pb_value* value);
    void (*release)(pb_value* value);
    /* The message of the last failure, with its kind in front. */
    const char* (*error)(void);

    /* A tensor with a copy of `size of shape` elements in C order; NULL data: any values. */
    pb_value* (*make)(const void* data, DLDataType dtype, int32_t ndim, const int64_t* shape);
    pb_value* (*number)(double value);
    /* Shape, dtype and memory, which is the value's own; `strides` are NULL in C order. */
    int (*view)(pb_value* tensor, DLTensor* view);
    int (*requires_grad)(pb_value* tensor);
    /* The same memory without history. */
    pb_value* (*detach)(pb_value* tensor);

    /* The operator of a name in the table of operators ("add", "exp"), NULL where there is none. */
    pb_function* (*find)(const char* name);
    /* An operator of one's own; what the definition points to is not read again, but for
       `context`. */
    pb_function* (*define)(const pb_operator* definition);
    /* Fills `n_results`. NULL arguments are absent; a list of tensors is spread. */
    int (*call)(pb_function* function, pb_value* const* arguments, size_t count,
                const pb_attribute* attributes, size_t n_attributes, pb_value** results,
                size_t n_results);

    int (*grad_enabled)(void);
    /* Whether operators are recorded from here on; returns whether they were before. */
    int (*set_grad_enabled)(int enabled);
} pb_engine_api;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* PULLBACK_ENGINE_API_H_ */
