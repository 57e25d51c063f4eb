"""What random programs are made of: for each kind of text, its alternatives, a line each.

``<kind>`` stands for an alternative of that kind, ``<tensor>``, ``<integer>`` and ``<list>`` for a name in
scope. An alternative that is written twice is drawn twice as often.
"""

from __future__ import annotations

_GRAMMAR = {
    "expr": """
        <expr> + <expr>
        <expr> * <expr>
        (<expr> - <expr>)
        <expr> / (2 + <leaf> * <leaf>)
        <expr> * <number>
        <expr> + <number> * 0.1
        <number> * <expr>
        (<number> + 1) * <expr>
        -(<expr>)
        np.sin(<expr>)
        np.exp(-(<expr>) ** 2)
        np.tanh(<expr>)
        np.sqrt(1 + (<expr>) ** 2)
        np.cos(<expr>) * <expr>
        (<expr>) ** 2
        <expr> * scale
        0.5 * (<expr> + <expr>)
        np.where(<tensor> > 0.9, <expr>, <expr>)
        np.where(mask, <expr>, 0.0)
        np.maximum(<expr>, 0.3 * <expr>)
        np.clip(<expr>, -1.5, 1.5)
        np.abs(<expr>)
        np.sum(<expr>)
        np.sum(<expr>, axis=0)
        np.mean(<expr>, axis=-1, keepdims=True)
        np.max(<expr>)
        (<expr>).sum()
        np.prod(np.tanh(<leaf>))
        np.cumsum(<expr>)
        (<expr>)[<index>]
        (<expr>)[<index>]
        np.dot(<expr>, <expr>)
        (<expr>) @ (<expr>)
        np.outer(<leaf>, <leaf>)
        np.concatenate([<expr>, <expr>])
        np.stack([<expr>, <expr>])
        (<expr>).T
        np.reshape(<expr>, (-1,))
        np.flip(<expr>)
        np.roll(<expr>, 1)
        np.expand_dims(<expr>, 0)
        (<expr> if <condition> else <expr>)
        float(<number>) * <expr>
        np.sum(<expr>) * <expr>
        sum([<expr>, <expr>])
        <list>[<number>]
        <list>[-1]
        np.stack(<list>)
        np.sum(np.stack(<list>), axis=0)
        sum(<list>)
    """,
    "leaf": """
        <tensor>
        <tensor>
        <tensor>
        x
        y
        <tensor>[<index>]
        z[0]
        z[:, 1]
        s
    """,
    "number": """
        <integer>
        <integer>
        <integer>
        n
        0
        1
        2
        len(x)
        -1
    """,
    "index": """
        <number>
        <number>
        <number>
        <number> - 1
        <number> % 2
        <number>, 0
        <number>, <number>
        (<number>, 1)
        0
        -1
        1:
        :-1
        ::2
        ::-1
        1:-1
        1:-1:2
        2:-1:2
        -2:
        <number>:
        :<number>
        <number>::2
        1:, ::2
        :, <number>
        ..., 0
        ...
        :
        None
        None, :
        idx
        idx[:2]
        :, idx
        idx, idx
        mask
        <tensor> > 0.8
    """,
    "condition": """
        <number> > 1
        <number> % 2 == 0
        flag
        not flag
        n > 2 and flag
        <tensor>.ndim == 1
        <tensor>.shape[0] == 4
        x[0] > 0.2
        np.sum(y) > 100.0
        mask[1]
    """,
    "value": """
        0
        1.5
        scale
        <number>
        <expr>
        <expr>
        <expr>
    """,
    "fresh": """
        np.zeros(<shape>)
        np.ones(<shape>)
        np.full(<shape>, 0.5)
        np.full(<shape>, scale)
        np.full(<shape>, 2)
        np.zeros_like(<tensor>)
        np.ones_like(<tensor>)
        np.full_like(<tensor>, 0.25)
        <tensor>.copy()
        np.arange(4) * 0.5
        np.linspace(0.0, 1.0, 4)
        np.eye(4)
    """,
    "shape": """
        4
        5
        n + 1
        n + 2
        (3, 4)
        (n, n)
        (0, 4)
        x.shape
        len(x)
        z.shape[1]
    """,
    "rounds": """
        range(n)
        range(2)
        range(3)
        range(n - 1)
        range(1, n)
        range(1, 4)
        range(n, 0, -1)
        range(len(x))
        range(x.shape[0])
        range(0)
        reversed(range(n))
        reversed(range(3))
    """,
    "items": """
        []
        [<expr>, <expr>]
        [<expr> * k for k in range(n)]
        [<expr> * k for k in range(2)]
        [np.sin(e) for e in <tensor>]
    """,
}
GRAMMAR = {kind: [line.strip() for line in text.strip().splitlines()] for kind, text in _GRAMMAR.items()}

# Names that people give, and those that generated C++ calls its own.
NAMES = (
    *("a", "b", "c", "t", "u", "v", "w", "r", "h", "acc", "total", "out", "res", "cur", "prev", "table"),
    *("loop", "space", "context", "number", "value", "shape", "view", "item", "size", "double", "T", "part"),
    *("x_row", "x_rows", "x_view", "number_view", "passes", "start", "index", "y_cast", "sin", "exp", "grad"),
)
LOOP_NAMES = ("i", "j", "k", "n_", "step", "turn", "it", "row")
