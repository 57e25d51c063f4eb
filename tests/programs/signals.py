"""Filters, transforms and windows."""

import numpy as np

from .samples import normal, positive


def fir_filter(x, taps):
    """Sample by sample, zeros before the start."""
    n = len(x)
    m = len(taps)
    y = np.zeros(n)
    for i in range(n):
        for k in range(m):
            if i - k >= 0:
                y[i] += taps[k] * x[i - k]
    return y


def fir_by_convolve(x, taps, *, mode: str = "same"):
    return np.convolve(x, taps, mode)


def fir_by_slices(x, taps):
    """Valid part only, a tap at a time."""
    m = taps.shape[0]
    n = x.shape[0] - m + 1
    y = np.zeros(n)
    for k in range(m):
        y += taps[m - 1 - k] * x[k : k + n]
    return y


def iir_filter(x, b, a):
    """Direct form, with the output fed back."""
    y = np.zeros_like(x)
    for n in range(len(x)):
        acc = b[0] * x[n]
        for k in range(1, len(b)):
            if n >= k:
                acc += b[k] * x[n - k]
        for k in range(1, len(a)):
            if n >= k:
                acc -= a[k] * y[n - k]
        y[n] = acc / a[0]
    return y


def biquad(x, b0, b1, b2, a1, a2):
    """Transposed direct form two, a state of two numbers."""
    z1 = 0.0
    z2 = 0.0
    out = []
    for sample in x:
        y = b0 * sample + z1
        z1 = b1 * sample - a1 * y + z2
        z2 = b2 * sample - a2 * y
        out.append(y)
    return np.stack(out)


def dft_by_sums(x):
    """Real and imaginary parts by two loops."""
    n = len(x)
    real = np.zeros(n)
    imag = np.zeros(n)
    for k in range(n):
        for t in range(n):
            angle = 2 * np.pi * k * t / n
            real[k] += x[t] * np.cos(angle)
            imag[k] -= x[t] * np.sin(angle)
    return real, imag


def power_spectrum(x):
    """By a matrix of angles."""
    n = x.shape[0]
    k = np.arange(n)
    angles = 2 * np.pi * np.outer(k, k) / n
    return (np.cos(angles) @ x) ** 2 + (np.sin(angles) @ x) ** 2


def fft_energy(x):
    """By np.fft."""
    spectrum = np.fft.rfft(x)
    return np.sum(np.abs(spectrum) ** 2)


def goertzel(x, *, k: int = 2):
    """The power of one frequency."""
    n = len(x)
    w = 2 * np.pi * k / n
    coefficient = 2 * np.cos(w)
    s_prev = 0.0
    s_prev2 = 0.0
    for i in range(n):
        s = x[i] + coefficient * s_prev - s_prev2
        s_prev2 = s_prev
        s_prev = s
    return s_prev2**2 + s_prev**2 - coefficient * s_prev * s_prev2


def hann_window(x):
    n = x.size
    w = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / (n - 1))
    return x * w


def named_window(x, *, window: str = "hamming"):
    """The window is chosen by its name."""
    n = len(x)
    t = np.arange(n)
    if window == "hamming":
        w = 0.54 - 0.46 * np.cos(2 * np.pi * t / (n - 1))
    elif window == "blackman":
        w = 0.42 - 0.5 * np.cos(2 * np.pi * t / (n - 1)) + 0.08 * np.cos(4 * np.pi * t / (n - 1))
    elif window == "rect":
        return x
    else:
        raise ValueError("unknown window " + window)
    return w * x / np.sqrt(np.mean(w**2))


def numpy_window(x):
    return np.hanning(len(x)) * x


def moving_average(x, *, width: int = 3):
    c = np.cumsum(x)
    return (c[width:] - c[:-width]) / width


def moving_average_centered(x, *, half: int = 1):
    """Shorter windows at the edges."""
    n = len(x)
    result = []
    for i in range(n):
        low = max(0, i - half)
        high = min(n, i + half + 1)
        result.append(np.mean(x[low:high]))
    return np.array(result)


def autocorrelation(x, *, max_lag: int = 3):
    centered = x - np.mean(x)
    variance = np.sum(centered**2)
    r = np.ones(max_lag + 1)
    for lag in range(1, max_lag + 1):
        r[lag] = np.sum(centered[lag:] * centered[:-lag]) / variance
    return r


def haar_step(x):
    even, odd = x[::2], x[1::2]
    return (even + odd) / np.sqrt(2), (even - odd) / np.sqrt(2)


def haar_wavelet(x, *, levels: int = 2):
    """Approximation first, then the details from coarse to fine."""
    details = []
    approx = x
    for _ in range(levels):
        approx, detail = haar_step(approx)
        details.append(detail)
    return np.concatenate([approx] + details[::-1])  # noqa: RUF005 - as people write it


def haar_in_place(signal):
    """In a copy, halving the length that is worked on."""
    out = signal.copy()
    n = out.shape[0]
    while n > 1:
        half = n // 2
        left = (out[0:n:2] + out[1:n:2]) / 2
        right = (out[0:n:2] - out[1:n:2]) / 2
        out[:half] = left
        out[half:n] = right
        n = half
    return out


def exponential_smoothing(x, alpha):
    s = x[0]
    smoothed = [s]
    for value in x[1:]:
        s = alpha * value + (1 - alpha) * s
        smoothed.append(s)
    return np.array(smoothed)


def holt_winters(x, alpha, beta, *, horizon: int = 2):
    """Level and trend; the one-step errors and a forecast."""
    level = x[0]
    trend = x[1] - x[0]
    error = 0.0
    for t in range(1, len(x)):
        prediction = level + trend
        error += (x[t] - prediction) ** 2
        last = level
        level = alpha * x[t] + (1 - alpha) * (level + trend)
        trend = beta * (level - last) + (1 - beta) * trend
    return level + horizon * trend, error / (len(x) - 1)


def pre_emphasis(x, *, coefficient: float = 0.97):
    return np.append(x[0], x[1:] - coefficient * x[:-1])


def frames_energy(x, *, size: int = 4, hop: int = 2):
    """Overlapping frames, their energies in decibels."""
    count = 1 + (len(x) - size) // hop
    energies = np.zeros(count)
    for i in range(count):
        frame = x[i * hop : i * hop + size]
        energies[i] = 10 * np.log10(np.sum(frame**2) + 1e-10)
    return energies


def lms_filter(x, desired, *, mu: float = 0.1, taps: int = 2):
    """An adaptive filter: the weights follow the error."""
    w = np.zeros(taps)
    errors = []
    for n in range(taps, len(x)):
        window = x[n - taps : n][::-1]
        e = desired[n] - np.dot(w, window)
        w = w + 2 * mu * e * window
        errors.append(e)
    return w, np.array(errors)


def allpass_cascade(x, coefficients):
    """One stage after the other, each over the whole signal."""
    y = x
    for c in coefficients:
        out = np.empty_like(y)
        out[0] = c * y[0]
        for i in range(1, len(y)):
            out[i] = c * y[i] + y[i - 1] - c * out[i - 1]
        y = out
    return y


def envelope_follower(x, *, attack: float = 0.6, release: float = 0.2):
    """Rises faster than it falls."""
    level = 0.0
    out = np.zeros(len(x))
    for i, value in enumerate(np.abs(x)):
        rate = np.where(value > level, attack, release)
        level = level + rate * (value - level)
        out[i] = level
    return out


def resample_linear(x, times):
    """Values between samples, at given times."""
    index = np.floor(times).astype(int)
    fraction = times - index
    return (1 - fraction) * x[index] + fraction * x[index + 1]


def zero_stuff(x, taps, *, factor: int = 2):
    """Upsampling by zeros, then a filter."""
    up = np.zeros(len(x) * factor)
    up[::factor] = x
    return np.convolve(up, taps)


SAMPLES = [
    (fir_filter, (normal(6), normal(3)), {}),
    (fir_by_convolve, (normal(6), normal(3)), {}),
    (fir_by_slices, (normal(6), normal(3)), {}),
    (iir_filter, (normal(5), normal(3), positive(3)), {}),
    (biquad, (normal(4), *(np.array(v) for v in (0.5, 0.2, 0.1, -0.3, 0.2))), {}),
    (dft_by_sums, (normal(4),), {}),
    (power_spectrum, (normal(5),), {}),
    (fft_energy, (normal(6),), {}),
    (goertzel, (normal(7),), {}),
    (hann_window, (normal(5),), {}),
    (named_window, (normal(5),), {}),
    (named_window, (normal(5),), {"window": "blackman"}),
    (named_window, (normal(5),), {"window": "rect"}),
    (numpy_window, (normal(5),), {}),
    (moving_average, (normal(7),), {}),
    (moving_average_centered, (normal(5),), {}),
    (autocorrelation, (normal(6),), {}),
    (haar_wavelet, (normal(8),), {}),
    (haar_wavelet, (normal(8),), {"levels": 0}),
    (haar_in_place, (normal(8),), {}),
    (exponential_smoothing, (normal(5), np.array(0.3)), {}),
    (holt_winters, (normal(5), np.array(0.3), np.array(0.1)), {}),
    (pre_emphasis, (normal(5),), {}),
    (frames_energy, (normal(8),), {}),
    (lms_filter, (normal(6), normal(6, seed=1)), {}),
    (allpass_cascade, (normal(4), np.array([0.3, -0.5])), {}),
    (envelope_follower, (normal(5),), {}),
    (resample_linear, (normal(6), np.array([0.3, 1.7, 4.2])), {}),
    (zero_stuff, (normal(3), normal(3, seed=1)), {}),
]
