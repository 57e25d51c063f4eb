"""What random programs are made of: for each kind of text, its alternatives, a line each.

``<kind>`` stands for an alternative of that kind, ``<tensor>``, ``<integer>`` and ``<list>`` for a name in
scope. An alternative that is written twice is drawn twice as often.
"""

from __future__ import annotations

import textwrap

_GRAMMAR = {
    "expr": """
        <pointwise>
        <pointwise>
        <pointwise>
        <pointwise>
        <reduction>
        <reduction>
        <shaped>
        <shaped>
        <product>
        (<expr>)[<index>]
        (<expr>)[<index>]
        <gathered>
        <mixed>
        <several>
        <function>(<expr>)
        <function>(<expr>)
        <function>(<tensor>)
    """,
    "pointwise": """
        (lambda a, b: a * b + 0.5)(<expr>, <leaf>)
        np.add(<number>, <float>) * <expr>
        np.power(<float>, 2) * <expr>
        np.where(<condition>, <expr>, <leaf>)
        np.select([<leaf> > 1.0, <mask>], [<expr>, <leaf>], 0.5)
        np.fmax(<expr>, <leaf>)
        np.mod(<expr>, 1.5)
        (<expr>) % 2.0
        (<expr>) // 1.5 + <leaf>
        np.cbrt(2.0 + np.sin(<expr>))
        np.copysign(<leaf>, <expr>)
        np.interp(<leaf>, np.linspace(0.0, 2.0, 4), np.array([0.0, 1.0, 0.5, 2.0]))
        np.round(<expr>) + <leaf>
        <expr> * round(<float>)
        float(np.sum(<leaf>)) * <expr>
        math.sin(np.sum(<leaf>)) * <expr>
        math.exp(-math.fabs(<leaf>)) * <expr>
        math.hypot(s, math.atan2(<float>, 1.0 + s * s)) * <leaf>
        (<expr>).clip(0.2, 1.1)
        np.heaviside(<expr>, 0.5) * <leaf>
        <expr> + <expr>
        <expr> + <expr>
        <expr> * <expr>
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
        (2.0 + np.cos(<expr>)) ** <float>
        (1.5 + np.sin(<expr>)) ** (<number>)
        2.0 ** np.tanh(<expr>)
        <expr> * scale
        <float> * <expr>
        <expr> - <float>
        0.5 * (<expr> + <expr>)
        np.where(<mask>, <expr>, <expr>)
        np.where(mask, <expr>, 0.0)
        np.where(<tensor> > 0.9, <expr>, <float>)
        np.maximum(<expr>, 0.3 * <expr>)
        np.minimum(<expr>, <float>)
        np.clip(<expr>, -1.5, 1.5)
        np.clip(<expr>, None, 0.8)
        np.abs(<expr>)
        abs(<expr>)
        np.log1p((<expr>) ** 2)
        np.log(2 + np.sin(<expr>))
        np.arctan2(<expr>, 1.5 + <leaf> ** 2)
        np.hypot(<expr>, 1.0)
        np.logaddexp(<expr>, <leaf>)
        np.expm1(np.tanh(<expr>))
        np.square(<expr>)
        np.reciprocal(2 + np.cos(<expr>))
        np.sign(<expr>) * <leaf>
        np.floor(<expr>) + <leaf>
        np.arctan(<expr>)
        np.sinh(np.tanh(<expr>))
        np.negative(<expr>)
        np.power(1.5 + np.sin(<expr>), <leaf>)
        np.float32(0.5) * <expr>
        np.sqrt(2 / np.pi) * <expr>
        math.sqrt(2 / math.pi) * <expr>
        (<expr>).astype(np.float32)
        (<expr>).astype(<tensor>.dtype)
        np.multiply(<expr>, <expr>)
        np.add(<expr>, <float>)
        pb.sigmoid(<expr>)
        pb.softplus(<expr>)
        np.positive(<expr>) * <leaf>
        (<expr> if <condition> else <expr>)
        float(<number>) * <expr>
        np.nan_to_num(<expr>)
    """,
    "reduction": """
        np.add.reduce(<expr>)
        np.maximum.reduce(<expr>, axis=-1)
        np.average(<leaf>, weights=<leaf> ** 2)
        np.sum(<leaf>, where=<mask>)
        np.mean(<expr>, axis=tuple(range(1, (<leaf>).ndim)))
        (<expr>).prod()
        (<expr>).std()
        (<leaf>).cumsum()
        np.median(<leaf>)
        np.ptp(<leaf>)
        np.linalg.norm(1.5 + <leaf> ** 2, axis=-1)
        sum(<tensor>)
        max(<leaf>)
        min(np.sum(<leaf>), <float>) * <leaf>
        sum(e * e for e in <tensor>)
        sum(e * f for e, f in zip(<tensor>, <tensor>))
        math.prod(<tensor>.shape) * <expr>
        np.max(<expr>, initial=0.5)
        np.nansum(<expr>)
        np.sum(<expr>)
        np.sum(<expr>)
        np.sum(<expr>, axis=0)
        np.sum(<expr>, axis=-1)
        np.sum(<expr>, axis=<number>)
        np.sum(<expr>, axis=(0, 1))
        np.sum(<expr>, axis=-1, keepdims=True)
        np.mean(<expr>)
        np.mean(<expr>, axis=0)
        np.mean(<expr>, axis=-1, keepdims=True)
        np.max(<expr>)
        np.max(<expr>, axis=-1)
        np.min(<expr>, axis=0, keepdims=True)
        (<expr>).sum()
        (<expr>).sum(axis=0)
        (<expr>).mean(0)
        (<expr>).max(-1, keepdims=True)
        np.prod(np.tanh(<leaf>))
        np.prod(np.cos(<leaf>), axis=-1)
        np.var(<expr>)
        np.var(<expr>, axis=-1, keepdims=True)
        np.std(1.0 + <leaf> * <leaf>, axis=0)
        np.linalg.norm(1.0 + <leaf> ** 2)
        np.sum(<expr>) * <expr>
        np.sum(np.where(<mask>, <expr>, 0.0), axis=-1)
        np.cumsum(<expr>)
        np.cumsum(<expr>, axis=0)
        np.cumprod(np.cos(<leaf>))
        np.count_nonzero(<mask>) * <leaf>
        np.trace(<expr>)
        pb.special.logsumexp(<expr>, axis=-1)
    """,
    "shaped": """
        np.array([<leaf>, <leaf>])
        np.array([[s, 1.0], [0.5, s * 2]])
        np.column_stack((<leaf>, <leaf>))
        np.meshgrid(<leaf>, <leaf>)[0]
        np.append(<leaf>, <leaf>)
        np.rot90(<leaf>)
        np.r_[<leaf>, <leaf>]
        np.insert(<leaf>, 1, 0.5)
        np.delete(<leaf>, 0)
        (<expr>).transpose()
        (<leaf>).swapaxes(0, -1)
        np.block([<leaf>, <leaf>])
        np.gradient(<leaf>, axis=-1)
        np.convolve(<leaf>, np.array([0.5, 1.0, 0.5]), mode="same")
        np.fliplr(<leaf>)
        (<expr>)[<index>][<index>]
        (<expr>)[<index>].T
        np.tri(len(x)) @ <leaf>
        np.add.outer(<leaf>, <leaf>)
        np.subtract.outer(<leaf>, <leaf>)
        np.concatenate([<expr>, <expr>])
        np.concatenate((<expr>, <expr>), axis=-1)
        np.concatenate([<expr>, <leaf>, <leaf>])
        np.stack([<expr>, <expr>])
        np.stack((<expr>, <expr>), axis=-1)
        np.hstack([<expr>, <expr>])
        np.vstack([<expr>, <expr>])
        (<expr>).T
        (<expr>).T
        np.transpose(<expr>)
        np.swapaxes(<expr>, 0, -1)
        np.moveaxis(<expr>, 0, -1)
        np.reshape(<expr>, (-1,))
        (<expr>).reshape(-1)
        (<expr>).reshape(-1, 1)
        (<expr>).reshape(<tensor>.shape)
        np.ravel(<expr>)
        (<expr>).ravel()
        (<expr>).flatten()
        np.flip(<expr>)
        np.flip(<expr>, axis=0)
        np.roll(<expr>, 1)
        np.roll(<expr>, <number>, axis=0)
        np.expand_dims(<expr>, 0)
        np.expand_dims(<expr>, -1)
        np.squeeze(<expr>)
        np.squeeze(<expr>[None], 0)
        np.broadcast_to(<expr>, <tensor>.shape)
        np.broadcast_to(<leaf>, (2, 3, 4))
        np.tile(<leaf>, 2)
        np.repeat(<leaf>, 2)
        np.repeat(<leaf>, 2, axis=0)
        np.tril(<expr>)
        np.triu(<expr>, 1)
        np.diagonal(<expr>)
        np.diag(<leaf>)
        np.atleast_1d(<expr>)
        np.pad(<leaf>, 1)
        np.diff(<expr>)
        np.copy(<expr>)
        np.asarray(<expr>) * 1.0
        np.split(<leaf>, 2)[0]
    """,
    "product": """
        np.dot(<expr>, <expr>)
        (<expr>) @ (<expr>)
        (<expr>) @ (<expr>)
        (<leaf>).T @ <leaf>
        np.outer(<leaf>, <leaf>)
        np.matmul(<leaf>, <leaf>)
        np.inner(<leaf>, <leaf>)
        np.einsum("ij,j->i", <expr>, <leaf>)
        np.einsum("...i,...i->...", <expr>, <leaf>)
        np.einsum("i,j->ji", <leaf>, <leaf>)
        np.einsum("ij->", <leaf>)
        np.vdot(<leaf>, <leaf>)
        np.kron(<leaf>, <leaf>)
    """,
    "gathered": """
        np.compress(<mask>, <leaf>)
        (<leaf>)[np.nonzero(<mask>)]
        (<leaf>)[np.where(<mask>)[0]]
        (<leaf>)[np.ix_(idx % 3, idx)]
        np.bincount(idx, weights=<leaf>)
        np.choose(idx % 2, [<leaf>, <leaf>])
        np.searchsorted(np.arange(4), <leaf>) * <leaf>
        np.extract(<mask>, <leaf>)
        (<leaf>).take(idx)
        np.partition(<leaf>, 1)
        np.take(<expr>, idx, axis=-1)
        np.take(<expr>, <positions>)
        (<expr>)[<positions>]
        (<expr>)[..., <positions>]
        (<expr>)[<mask>]
        np.take_along_axis(<leaf>, np.argsort(<leaf>, axis=-1), axis=-1)
        np.sort(<leaf>)
        np.sort(<expr>, axis=0)
        (<leaf>)[np.argmax(<leaf>)]
        (<leaf>)[np.argsort(<leaf>)]
    """,
    "mixed": """
        <expr> * <positions>
        <expr> + <mask>
        <expr> * <mask>
        <mask> * <float> + <leaf>
        <expr> * np.sum(<positions>)
        <expr> * np.sum(<mask>)
        <expr> * np.mean(<positions>)
        <expr> / (1 + <positions> ** 2)
        <expr> ** (1 + <positions> % 2)
        <expr> * <mask>.astype(float)
        <leaf> * <positions>.astype(<tensor>.dtype)
        <expr> * <leaf>.shape[0]
        <expr> * len(<leaf>)
        <expr> / <leaf>.size
        <expr> * <leaf>.ndim
    """,
    "several": """
        sum(a * b for a, b in itertools.product(x, y))
        sum(a * b for a, b in itertools.combinations(<tensor>, 2))
        np.array([a - b for a, b in itertools.pairwise(<tensor>)])
        np.stack([a * b for a, b in itertools.permutations(x, 2)])
        functools.reduce(lambda a, b: a * b + 0.5, <tensor>)
        np.stack(list(itertools.accumulate(x, lambda a, b: a * 0.5 + b)))
        sum(filter(lambda e: e > 0.7, x))
        np.array(sorted(x))
        max(e * e for e in x)
        min(np.sum(e) for e in <tensor>)
        np.maximum.accumulate(<leaf>)
        <dictionary>["a"]
        <dictionary>["a"] * <dictionary>["b"]
        <dictionary>["b"][<index>]
        sum(g * <leaf> for g in weights)
        sum(a * <leaf> + b for a, b in table)
        sum(g * <leaf> ** k for k, g in enumerate(weights))
        np.array(weights)[<number>] * <expr>
        np.sum(np.array(table)) * <expr>
        np.array([g * np.sum(<leaf>) for g in weights])
        np.stack([g * <leaf> for g in weights])
        np.array([[g * e for g in weights] for e in x])
        np.array([[i + j * s for j in range(n)] for i in range(n)])
        np.array([[i * j for j in range(3)] for i in range(n)]) * <float>
        np.array([a * b for a in x for b in y])
        np.array([a * b for a in x if a > 0.6 for b in y])
        sum([x[k] * z[k % 2] for k in hops])
        np.array([x[i] * y[j] for i in range(len(x)) for j in range(i)])
        sum(sum(e * f for e in x) for f in y)
        np.array([<list>, <list>])
        np.array([[e for e in x], [f * 2.0 for f in x]])
        np.array([[a + g * b for a, b in zip(x, y)] for g in weights])
        np.array([np.array([e, s]) for e in <tensor>])
        np.array([max(e, <float>) * e for e in x])
        np.array([e for e in x if e > <float>] + [s * 1.0])
        np.stack([e * 2.0 for e in <tensor> if n > 1])
        np.stack([<leaf> * k for k in range(n) if k % 2 == 0])
        np.array([[a * b for a in x] for b in y])
        sum([e * f for e, f in zip(<list>, <list>)])
        np.stack([*<list>, <list>[0]])
        np.concatenate([*<tuple>])
        sum(k * <leaf> for k in range(n))
        np.array([np.sum(e) for e in <tensor>])
        np.array([float(k) for k in range(n)]) * <number>
        sorted([<number>, 2, 0])[0] * <expr>
        sum([<expr>, <expr>])
        sum([np.sin(e) for e in <tensor>])
        <list>[<number>]
        <list>[-1]
        np.stack(<list>)
        np.concatenate(<list>)
        np.array(<list>)
        np.sum(np.stack(<list>), axis=0)
        np.stack([e * 2.0 for e in <list>])
        np.stack([e * k for k, e in enumerate(<list>)])
        sum(<list>)
        sum(<list>[1:])
        np.stack(<list>[::-1])
        <expr> * len(<list>)
        <tuple>[0]
        <tuple>[-1] + <tuple>[0]
        sum(<tuple>)
        np.stack(<tuple>)
        max(<number>, 1) * <expr>
    """,
    "test of elements": """
        x[0] > <float>
        np.sum(<leaf>) > <float>
        <leaf>.max() > 1.1
        np.any(<mask>)
        any(e > 1.2 for e in x)
        all(e > 0.5 for e in <tensor>)
    """,
    "use of a number": """
        <leaf> ** chosen_
        (<leaf> + 1.0) ** (chosen_ / 2)
        <leaf> * chosen_
        <expr> + chosen_ * <leaf>
        x[chosen_ - 1] * <leaf>
        x[:chosen_ + 1] * 2.0
        np.roll(<leaf>, int(chosen_))
        <leaf> * (chosen_ > 0)
        np.sum(<expr>, axis=min(int(chosen_), 0))
        np.where(<mask>, <leaf>, chosen_)
        np.full(3, chosen_) * s
        np.clip(<leaf>, None, chosen_)
        sum(<leaf> * k for k in range(int(chosen_)))
        np.zeros(int(chosen_) + 2) + s
    """,
    "in place": """
        np.add.at(OWN, idx, <float>)
        np.add.at(OWN, <positions>, <leaf>)
        np.subtract.at(OWN, idx, <leaf>)
        np.fill_diagonal(OWN, <float>)
        OWN.sort()
        np.copyto(OWN, <leaf>)
        np.multiply(OWN, <leaf>, out=OWN)
        np.put(OWN, idx, <float>)
        np.putmask(OWN, <mask>, <float>)
        OWN[...] = np.tanh(OWN)
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
        len(weights)
        hops[0]
        len(table)
        n // 2
        n % 2
        <integer> ** 2
        max(n, 2)
        min(len(x), 3)
        abs(<integer> - 2)
        int(scale * 3)
        x.ndim
        <tensor>.size
        -n
        divmod(n, 2)[1]
        n if flag else 1
        len(<tensor>) - 1
        round(scale * 2)
        (n > 1) + 1
        sum(range(n))
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
    "float": """
        weights[0]
        weights[-1]
        table[0][1]
        table[-1][0]
        sum(weights)
        weights[n % 2]
        max(weights)
        sum(a * b for a, b in table)
        float(n)
        scale ** 2
        abs(scale)
        max(scale, 0.2)
        math.exp(-scale)
        n / 3
        scale if flag else 0.3
        <real> * <real>
        np.sqrt(2.0)
        np.pi / 4
        np.exp(-scale)
        (n + 0.5) % 1.0
        -scale
        <real>
        scale
        0.5
        1.25
        -0.3
        scale * 0.5
        n * 0.25
        1 / (n + 1)
        math.pi / 4
        1e-3
    """,
    "index": """
        n - 1
        -n
        <number>:-1
        -1:0:-1
        n::-1
        1:n
        ::n + 1
        len(x) // 2
        len(x) - 1
        0, 1:, None
        ..., ::-1
        1, 2
        idx % 2, idx
        mask, 0
        np.array([1, 0])
        [0, 2]
        [0, 1], [1, 0]
        None, ..., None
        slice(1, 3)
        np.argmax(<leaf>)
        ~mask
        idx[0]
        -1, ::-1
        np.arange(len(x))[::2]
        np.argsort(<leaf>)[:2]
        <mask> & mask
        0, idx
        idx, 0
        ...,  idx[:2]
        [True, False, True, False]
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
        ::-2
        -1::-2
        <number>::-1
        -2:
        <number>:
        :<number>
        <number>:<number>
        <number>:<number> + 1
        <number>::2
        1:, ::2
        :, <number>
        :, ::-1
        ..., 0
        ..., 1:
        ..., None
        ...
        :
        None
        None, :
        :, None
        idx
        idx[:2]
        :, idx
        idx, idx
        <positions>
        mask
        <mask>
        <tensor> > 0.8
    """,
    "positions": """
        idx.copy()
        np.flatnonzero(<mask>)
        idx * n
        np.sum(<positions>, axis=0)
        idx[idx > 0]
        np.arange(len(x) - 1, -1, -1)
        np.array([n, 1, 0])
        idx[<mask>]
        np.round(<leaf>).astype(int)
        np.where(<leaf> > 0.8, idx, 0)
        np.sort(idx)
        np.minimum(idx, n)
        np.searchsorted(np.arange(4) * 0.4, <leaf>)
        idx
        <integer_array>
        <integer_array>
        np.arange(<leaf>.shape[0])
        np.arange(n)
        idx[::-1]
        np.argsort(<leaf>)
        np.argmax(<leaf>, axis=0)
        np.argmin(<leaf>)
        np.cumsum(idx) % 3
        np.where(<mask>, 1, 0)
        (<leaf> > 0.7).astype(int)
        np.floor(<leaf>).astype(np.int64)
        (idx + 1) % len(x)
        idx // 2
        np.array([0, 1])
        np.maximum(idx, 1)
    """,
    "mask": """
        mask & (<leaf> > 0.6)
        np.zeros(len(x), dtype=bool)
        np.ones_like(<leaf>, dtype=bool)
        (idx % 2).astype(bool)
        np.isin(idx, [0, 2])
        np.isnan(<leaf>)
        np.logical_or(<mask>, mask)
        mask ^ (<leaf> > 0.7)
        np.isclose(<leaf>, 1.0)
        np.tri(len(x), dtype=bool)
        np.arange(len(x)) < n
        idx[:, None] == idx
        mask
        <bool_array>
        ~mask
        <tensor> > 0.9
        <leaf> < <leaf>
        <leaf> >= <float>
        (<leaf> > 0.5) & (<leaf> < 1.2)
        (<leaf> > 1.1) | mask
        np.logical_not(<leaf> > 0.8)
        np.logical_and(mask, <leaf> > 0.8)
        idx == 0
        <positions> != 1
        np.isfinite(<leaf>)
        np.abs(<leaf>) > 0.6
        <leaf> == <leaf>
    """,
    "condition": """
        weights[0] > 0.3
        len(table) > 1
        <leaf>.min() < 0.6 and n > 1
        x[0] > s
        any(e > 1.2 for e in x)
        0 < scale < 1
        <number> < <number> < <number>
        n >= len(x)
        <integer> in range(3)
        not (n > 1 or flag)
        x.dtype == np.float64
        <tensor>.shape[-1] == <tensor>.shape[-1]
        any(<number> == k for k in range(3))
        np.sum(<leaf>) > <float>
        <leaf>.max() > 1.2
        idx[0] > 1
        isinstance(n, int)
        np.max(np.abs(<leaf>)) < 1.3 or n > 2
        (<number> > 1) == flag
        scale > 0 and np.all(<mask>)
        flag is True
        len(x) > 2 and x[1] > 0.7
        <number> > 1
        <number> % 2 == 0
        0 < <number> <= 2
        <number> == <number>
        flag
        not flag
        n > 2 and flag
        flag or scale > 1.0
        <float> > 0.3
        <tensor>.ndim == 1
        <tensor>.ndim > 1 and <tensor>.shape[-1] > 1
        <tensor>.shape[0] == 4
        <tensor>.size > 3
        <tensor>.shape == <tensor>.shape
        x[0] > 0.2
        np.sum(y) > 100.0
        np.all(<mask>)
        np.any(<mask>)
        mask[1]
        len(<list>) > 1
        n in (1, 3)
    """,
    "value": """
        x[0]
        s
        np.sum(<leaf>)
        -1
        True
        [0.5, 1.0, 1.5, 2.0]
        np.arange(len(x))
        0
        1.5
        scale
        <number>
        <float>
        <positions>
        <expr>
        <expr>
        <expr>
    """,
    "change": """
        /= 2 + <leaf> * <leaf>
        **= 2
        //= 1.5
        %= 1.5
        += (<expr>).astype(np.float32)
        *= np.float32(0.5)
        += np.float64(0.5)
        -= <positions>
        += <mask>
        *= np.ones((2, 1))
        @= np.identity(len(x))
    """,
    "whole change": """
        += 1
        *= 2
        //= 2
        %= 3
        -= <positions>
        += <mask>
        += np.arange(len(x))
        *= <number>
        += 0.5
    """,
    "fresh": """
        np.zeros((len(x), len(x)))
        np.zeros(<shape>, dtype=int)
        np.ones(<shape>, dtype=np.int64)
        np.zeros(<shape>, bool) * 1.0
        np.empty_like(<tensor>) * 0.0
        np.array([[1.0, 2.0], [3.0, scale]])
        np.array([1, 2, 3])
        np.arange(n) * 1.0
        np.arange(0, n, 0.5)
        np.identity(n)
        np.linspace(-1, 1, n + 1)
        np.zeros(len(x) - 1)
        np.full((2, len(x)), x)
        np.full(3, s)
        np.asarray([x[0], 1.0, n])
        np.geomspace(1.0, 8.0, 4)
        np.float64(n)
        np.zeros(<shape>)
        np.zeros(<shape>)
        np.ones(<shape>)
        np.full(<shape>, 0.5)
        np.full(<shape>, scale)
        np.full(<shape>, 2)
        np.zeros(<shape>, dtype=np.float32)
        np.zeros(<shape>, dtype=x.dtype)
        np.empty(<shape>) * 0.0
        np.zeros_like(<tensor>)
        np.ones_like(<tensor>)
        np.full_like(<tensor>, 0.25)
        <tensor>.copy()
        np.array(<tensor>)
        np.arange(4) * 0.5
        np.arange(0.0, 2.0, 0.5)
        np.linspace(0.0, 1.0, 4)
        np.linspace(0.0, scale, len(x))
        np.eye(4)
        np.eye(len(x))
        np.array([0.5, scale, 1.0])
        np.array([s * 1.0, s * 2.0])
    """,
    "shape": """
        2 * n
        (len(x) + 1,)
        z.shape[::-1]
        z.shape[1:]
        (n, *z.shape[1:])
        (x.size, 1)
        1
        0
        max(n, 1)
        (z.shape[0] - 1, z.shape[1])
        4
        5
        n + 1
        n + 2
        (3, 4)
        (n, n)
        (0, 4)
        (2, 1, 3)
        ()
        x.shape
        (len(x), n)
        (2, *x.shape)
        <tensor>.shape
        len(x)
        z.shape[1]
        z.shape[-1]
        (<tensor>.shape[0], 2)
    """,
    "rounds": """
        hops
        range(len(weights))
        range(len(hops))
        range(len(x) - 1, -1, -1)
        range(1, len(x))
        range(len(x) - 1)
        range(n + 1)
        range(2 * n)
        range(-1, 2)
        range(n // 2)
        range(min(n, len(x)))
        idx
        np.arange(n)
        (n, 1)
        range(n)
        range(2)
        range(3)
        range(n - 1)
        range(1, n)
        range(1, 4)
        range(n, 0, -1)
        range(0, 6, 2)
        range(5, -1, -2)
        range(0, len(x), 2)
        range(len(x))
        range(x.shape[0])
        range(z.shape[0])
        range(0)
        range(<number>)
        reversed(range(n))
        reversed(range(3))
        (0, 2)
        [1, 0, 1]
    """,
    "items": """
        [g * <leaf> for g in weights]
        [a * <leaf> + b for a, b in table]
        [[e * f for e in x] for f in y]
        [x[k] for k in hops]
        [e * g for g in weights for e in <tensor>]
        [[e, g] for g in weights for e in x][0]
        [x * 1.0] * n
        [<expr> for k in range(n) if k != 1]
        list(<tensor>)
        [e + f for e, f in zip(x, y)]
        [np.sum(z[k]) * k for k in range(len(z))]
        <list> + [<expr>]
        <list>[::-1]
        [<leaf> for _ in range(2) for k in range(n)]
        [*<tensor>]
        [k * e for k, e in enumerate(y)]
        []
        [<expr>, <expr>]
        [<expr>]
        [<expr> * k for k in range(n)]
        [<expr> * k for k in range(2)]
        [np.sin(e) for e in <tensor>]
        [<tensor>[k] for k in range(len(<tensor>))]
        [<expr>] + [<expr>]
        [np.zeros(3) for _ in range(n)]
        [e * 2.0 for e in <list>]
        <list>[1:]
    """,
}
GRAMMAR = {kind: [line.strip() for line in text.strip().splitlines()] for kind, text in _GRAMMAR.items()}

# Lists of numbers that are filled by place, and what is made of them.
_FILLED_LISTS = """
    dp = [<float>] * (len(x) + 1)
    for i in range(len(x)):
        dp[i + 1] = dp[i] * 0.5 + x[i] * <float>
    RESULT = np.array(dp)

    dp = [0.0] * len(x)
    for i in range(len(x)):
        for j in range(i + 1):
            dp[i] += x[j] * y[i]
    RESULT = dp[-1] * <leaf>

    dp = [[0.0] * len(y) for _ in range(len(x))]
    for i in range(len(x)):
        for j in range(len(y)):
            dp[i][j] = min(x[i], y[j]) + (dp[i - 1][j] if i > 0 else <float>)
    RESULT = np.array(dp)

    dp, running = [0.0] * len(x), []
    for i in range(len(x)):
        dp[i] = x[i] * <float>
        running += [dp[i], dp[0] * s]
    RESULT = np.array(running)

    dp = [s * 1.0]
    for e in x:
        dp.insert(0, e + 0.5 * dp[0])
        if e > <float>:
            dp = [e * dp[-1]] + dp
    RESULT = np.array(dp) * np.arange(len(dp))

    dp = [s * 1.0]
    for e in x:
        dp = dp + [dp[-1] * e]
    dp.reverse()
    RESULT = np.array(dp + [e * <float> for e in y])

    dp = []
    for k in range(len(x)):
        dp.append([x[k] * s, <float>, k])
    RESULT = np.array(dp) * <float>

    dp = list(x)
    for i in range(1, len(dp)):
        dp[i] += <float> * dp[i - 1]
    RESULT = np.array(dp) * <float>

    dp = [e * s for e in x]
    for _ in range(2):
        new = dp[:]
        for i in range(1, len(dp)):
            new[i] = 0.5 * dp[i] + dp[i - 1]
        dp = new
    RESULT = sum(dp) * <leaf>

    dp = [*x, *y]
    best = dp.index(max(dp))
    RESULT = np.array(dp) * best + max([e for e in dp if e > <float>], default=s)

    def deeper(v, k):
        return v if k == 0 else deeper(v * 0.5, k - 1) + <float>
    RESULT = deeper(<leaf>, 3)

    def scaled(v, k, b=0.5):
        return np.sin(k * v) + b
    RESULT = functools.partial(scaled, k=<float>)(<leaf>) * functools.partial(scaled, <leaf>, b=s)(2.0)

    dp = [1.0, s, <float>]
    dp[1] = dp[0] * x[0]
    dp[2] += dp[1]
    RESULT = sum(dp) * <leaf>
"""
FILLED_LISTS = tuple(textwrap.dedent(each).strip() for each in textwrap.dedent(_FILLED_LISTS).split("\n\n"))

# Names that people give, and those that generated C++ calls its own.
NAMES = (
    *("a", "b", "c", "t", "u", "v", "w", "r", "h", "acc", "total", "out", "res", "cur", "prev", "table"),
    *("loop", "space", "context", "number", "value", "shape", "view", "item", "size", "double", "T", "part"),
    *("x_row", "x_rows", "x_view", "number_view", "passes", "start", "index", "y_cast", "sin", "exp", "grad"),
)
LOOP_NAMES = ("i", "j", "k", "n_", "step", "turn", "it", "row")
