/* The native engine for other languages: a table of C functions in the capsule
   `pullback.engine.native._native.engine_api`.

   The engine's tensors are Python objects, and its formulas are Python text: a
   process that uses it holds an interpreter, whose global lock the caller of any
   function below holds. `pullback.h` is the C++ surface over this table. */
#ifndef PULLBACK_ENGINE_API_H_
#define PULLBACK_ENGINE_API_H_

#include "kernel_abi.h"

#define PB_ENGINE_API 1
#define PB_ENGINE_API_CAPSULE "pullback.engine.native._native.engine_api"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pb_value pb_value; /* a tensor or a number, counted */
typedef struct pb_word pb_word;   /* an operator by its name, valid for ever */

/* Whoever gets a value from a function releases it. A function that fails gives
   NULL or -1, and `error` tells why until the next call. */
typedef struct {
    uint32_t version; /* PB_ENGINE_API */

    void (*keep)(pb_value* value);
    void (*release)(pb_value* value);
    /* The message of the last failure, with its kind in front. */
    const char* (*error)(void);

    /* A tensor with a copy of `size of shape` elements in C order. */
    pb_value* (*make)(const void* data, DLDataType dtype, int32_t ndim, const int64_t* shape,
                      int requires_grad);
    pb_value* (*number)(double value);
    /* Shape, dtype and memory, which is the value's own; `strides` are NULL in C order. */
    int (*view)(pb_value* tensor, DLTensor* view);

    /* The operator of a word of the vocabulary ("add", "exp"), NULL where there is none. */
    pb_word* (*word)(const char* name);
    pb_value* (*call)(pb_word* word, pb_value* const* arguments, size_t count);

    /* Adds to the `grad` of every leaf. `seed` NULL: one, for a single value. */
    int (*backward)(pb_value* output, pb_value* seed, int retain_graph);
    /* A gradient per input into `gradients`; with `create_graph` they can be differentiated. */
    int (*gradients)(pb_value* output, pb_value* seed, pb_value* const* inputs, size_t count,
                     int retain_graph, int create_graph, pb_value** gradients);
    /* The accumulated gradient; NULL without a failure where there is none. */
    pb_value* (*grad)(pb_value* tensor);
    int (*clear_grad)(pb_value* tensor);

    /* Whether operators are recorded from here on; returns whether they were before. */
    int (*set_grad_enabled)(int enabled);
    /* tensor -= rate * gradient, in its memory, without a record: a step of descent. */
    int (*step)(pb_value* tensor, pb_value* gradient, double rate);
} pb_engine_api;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* PULLBACK_ENGINE_API_H_ */
