"""Programs that a kernel once ran wrongly, or that did not compile, as small as they get: bodies by name."""

FOUND = {
    "an array stored by one pass, copied by another under the same name": """
        if np.sum(y) > 100.0:
            return np.outer(x, z[:, 1]) + 2 * 0.1
        if x[0] > 0.2:
            v, v = (np.roll(s * scale, 1), np.sum(s))
        else:
            v, v = (np.cos(y), np.concatenate([np.sum(z, axis=0), np.tanh(y)]))
        return v
    """,
    "a value that a loop of no iterations leaves as it is, and an iteration makes a constant": """
        v = z[:, 1][idx % 3]
        for _ in range(n - 3):
            v = x * 1.0
        return v
    """,
    "a branch on a dtype that is known, which another branch would save masks for": """
        return np.nan_to_num(z)
    """,
    "booleans that are copied, and returned as they came": """
        v = mask.copy()
        return x[v] * 1.0, v, mask
    """,
    "NumPy's functions of numbers, for which Python has a symbol": """
        return x * np.add(2.0, n) + x * np.power(scale, 2) * np.negative(n)
    """,
    "an array of integers, which cuts off what is written into it": """
        r, v = np.zeros(len(x), dtype=int), x * 1.0
        r[1] = y[1] * 3
        for i in range(len(x)):
            r[i] = r[i] + x[i] * 3
            v[i] = r[i] * v[i]
        return r * v
    """,
    "a number that is repeated along an axis that it does not have": """
        return np.repeat(s, 2, axis=0) * np.sum(s, axis=-1)
    """,
    "a shape behind another one in a kernel without an index": """
        b = np.ones((2, *y.shape))
        return np.sum(b)
    """,
    "a loop over the smaller of two sizes, which stands beside a comparison": """
        for i in range(min(2, len(x))):
            a = np.full_like(x, 0.25)
        return a * x
    """,
    "an entry at a position that a loop adds up": """
        return np.logaddexp(x, y)[sum(range(n))] * x
    """,
    "a derivative whose own variable has the name of a value that is the same in each iteration": """
        level, out = 0.0, np.zeros(len(x))
        for i, value in enumerate(np.abs(x)):
            rate = np.where(value > level, 0.6, 0.2)
            level = level + rate * (value - level)
            out[i] = level
        return out
    """,
    "a sum of what is compared with a number that an attribute gives": """
        return np.sum(np.minimum(x * y, np.exp(-scale)) * 1.0)
    """,
    "an array of float32 that is changed by one of float64, and a number that becomes an array": """
        v = (x * y).astype(np.float32)
        v += x * 0.3
        total = 0.0
        for row in z:
            total += row
            total *= np.float64(0.5)
        return v * total
    """,
    "a number that becomes an array of another dtype, whose shape a gradient asks for": """
        v = np.sum(np.sqrt(1 + z[0] ** 2), axis=-1)
        v -= np.arange(len(x))
        return np.max(v, axis=-1, keepdims=True)
    """,
    "numbers under two names, of which one is changed": """
        last, total = 0.0, 0.0
        for value in x:
            last = total
            total += value * value
        return total * last * x
    """,
    "entries of a number taken along its only axis, whose number of axes a second derivative knows": """
        return np.take(s, [0, 0], axis=0) * s + np.take(s, -1, axis=-1) * np.take(x, 1)
    """,
    "entries rolled along an axis that is named twice": """
        return np.roll(z, (1, 2, n), (0, 1, 0)) * z
    """,
    "a mask of no axes, by which NumPy adds one": """
        return x[np.abs(s) > 0.1] * s, idx[np.abs(s) > 9.0] + 0
    """,
    "a loop over a list that ends before it, each element with a gradient": """
        items = [y[k] for k in range(len(y))]
        total = 0.0
        for e in items:
            total = total + e * e * s
            if total > 1.0:
                break
        return total * e * x
    """,
    "counts and products of booleans that are constant": """
        return x * np.sum(np.ones_like(z, dtype=bool)) + y * np.prod(np.ones_like(z, dtype=bool))
    """,
    "an empty list whose elements get their type in a loop, as its gradients do": """
        v = np.stack([row * 2.0 for row in x if n > 1]) * 1.0
        return np.sum(v) + np.sum(v)
    """,
    "a count of what two conditions choose": """
        return np.sum((x > 0.5) & (z < 1.2)) * y + np.sum((x > 0.9) | (y > 1.0), axis=0)
    """,
    "a list that is filled by place, in a loop that a branch leaves": """
        for k in range(len(x)):
            dp = [[0.0] * len(y) for _ in range(len(x))]
            for j in range(len(y)):
                dp[k][j] = x[k] * y[j]
            if dp[0][0] > 0.1:
                break
        return np.array(dp)
    """,
    "a number of Python's that a backward needs, of a branch in a loop that elements end": """
        low, high = -1.0, x[0]
        while high - low > 0.2:
            middle = (low + high) / 2
            if middle * abs(scale) < np.sum(y):
                low = middle
            else:
                high = middle
        return low * high
    """,
    "an array that an inner loop writes to, and that nothing reads behind it": """
        a, out = np.zeros(3), np.zeros(3)
        for i in range(len(x)):
            for j in range(len(y)):
                a[1] = 5.0 + i
                out = out + a
            a = x[:3] * 2
        return out
    """,
    "two arrays that iterations exchange": """
        new, old = x.copy(), x.copy()
        for _ in range(len(y)):
            new[1:-1] = old[1:-1] + 0.1 * (old[2:] - 2 * old[1:-1] + old[:-2])
            if x[0] > 0.3:
                old, new = new, old
        return old + 2 * new
    """,
    "rows that loops have made, as an array": """
        rows = []
        for i in range(3):
            row = []
            for j in range(len(x)):
                row.append(x[j] ** (i + 1))
            rows.append(row)
        return np.array(rows) * y
    """,
}
