"""Mechanics, fields and particles."""

import numpy as np

from .samples import normal, positive

G = 9.81


def projectile_range(speed, angle, height):
    """How far a thrown ball flies over level ground."""
    vx = speed * np.cos(angle)
    vy = speed * np.sin(angle)
    t = (vy + np.sqrt(vy**2 + 2 * G * height)) / G
    return vx * t


def projectile_with_drag(position, velocity, *, drag: float = 0.1, dt: float = 0.05, steps: int = 6):
    """Explicit Euler steps with quadratic air resistance; the whole path."""
    path = [position]
    gravity = np.array([0.0, -G])
    for _ in range(steps):
        speed = np.sqrt(np.sum(velocity**2))
        acceleration = gravity - drag * speed * velocity
        position = position + dt * velocity
        velocity = velocity + dt * acceleration
        path.append(position)
    return np.stack(path)


def pendulum_derivatives(state, m1=1.0, m2=1.0, l1=1.0, l2=1.0):
    th1, th2, w1, w2 = state[0], state[1], state[2], state[3]
    delta = th2 - th1
    den1 = (m1 + m2) * l1 - m2 * l1 * np.cos(delta) ** 2
    den2 = (l2 / l1) * den1
    a1 = (
        m2 * l1 * w1**2 * np.sin(delta) * np.cos(delta)
        + m2 * G * np.sin(th2) * np.cos(delta)
        + m2 * l2 * w2**2 * np.sin(delta)
        - (m1 + m2) * G * np.sin(th1)
    ) / den1
    a2 = (
        -m2 * l2 * w2**2 * np.sin(delta) * np.cos(delta)
        + (m1 + m2) * G * np.sin(th1) * np.cos(delta)
        - (m1 + m2) * l1 * w1**2 * np.sin(delta)
        - (m1 + m2) * G * np.sin(th2)
    ) / den2
    return np.array([w1, w2, a1, a2])


def double_pendulum_step(state, *, dt: float = 0.01):
    """One step of the classical Runge-Kutta method."""
    k1 = pendulum_derivatives(state)
    k2 = pendulum_derivatives(state + 0.5 * dt * k1)
    k3 = pendulum_derivatives(state + 0.5 * dt * k2)
    k4 = pendulum_derivatives(state + dt * k3)
    return state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def heat_equation(u, *, alpha: float = 0.2, steps: int = 5):
    """Explicit steps of a rod whose ends keep their temperature."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def heat_equation_new_array(u0, *, r: float = 0.25, steps: int = 4):
    """As one writes it with a second array."""
    u = u0
    for _ in range(steps):
        new = np.zeros_like(u)
        new[0] = u[0]
        new[-1] = u[-1]
        new[1:-1] = u[1:-1] + r * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = new
    return u


def heat_equation_by_index(u0, *, r: float = 0.25, steps: int = 3):
    """The same stencil, point by point."""
    u = np.array(u0)
    n = len(u)
    for _ in range(steps):
        old = u.copy()
        for i in range(1, n - 1):
            u[i] = old[i] + r * (old[i + 1] - 2 * old[i] + old[i - 1])
    return u


def heat_equation_2d(u, *, r: float = 0.1, steps: int = 3):
    """A plate with fixed edges."""
    u = u.copy()
    for _ in range(steps):
        laplacian = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += r * laplacian
    return u


def wave_equation(u, v, *, c: float = 0.5, steps: int = 5):
    """A string with fixed ends: the two levels of time are swapped."""
    previous = u - v
    current = u
    for _ in range(steps):
        following = np.zeros_like(current)
        following[1:-1] = (
            2 * current[1:-1] - previous[1:-1] + c**2 * (current[2:] - 2 * current[1:-1] + current[:-2])
        )
        previous, current = current, following
    return current


def advection_upwind(u, speed, *, dx: float = 0.1, dt: float = 0.05, steps: int = 4):
    """A periodic domain, by np.roll."""
    for _ in range(steps):
        u = u - speed * dt / dx * (u - np.roll(u, 1))
    return u


def burgers(u, *, nu: float = 0.1, dx: float = 0.5, dt: float = 0.05, steps: int = 3):
    """Periodic viscous Burgers equation by central differences."""
    for _ in range(steps):
        right = np.roll(u, -1)
        left = np.roll(u, 1)
        u = u - dt * u * (right - left) / (2 * dx) + nu * dt * (right - 2 * u + left) / dx**2
    return u


def gravity_forces(positions, masses, *, softening: float = 0.1):
    """Forces between bodies, pair by pair."""
    n = positions.shape[0]
    forces = np.zeros_like(positions)
    for i in range(n):
        for j in range(n):
            if i != j:
                r = positions[j] - positions[i]
                d2 = np.sum(r**2) + softening**2
                forces[i] += masses[i] * masses[j] * r / d2**1.5
    return forces


def gravity_forces_symmetric(positions, masses):
    """Newton's third law saves half of the pairs."""
    n = len(masses)
    forces = np.zeros((n, 2))
    for i in range(n):
        for j in range(i + 1, n):
            r = positions[j] - positions[i]
            d = np.sqrt(np.dot(r, r))
            f = masses[i] * masses[j] * r / d**3
            forces[i] += f
            forces[j] -= f
    return forces


def potential_energy(positions, masses):
    """The energy of all pairs, added up in a scalar."""
    energy = 0.0
    for i in range(len(masses)):
        for j in range(i):
            energy -= masses[i] * masses[j] / np.linalg.norm(positions[i] - positions[j])
    return energy


def lennard_jones(positions, *, epsilon: float = 1.0, sigma: float = 1.0):
    """The energy of a cluster, by broadcasting."""
    r = positions[:, None, :] - positions[None, :, :]
    d2 = np.sum(r**2, axis=-1)
    n = positions.shape[0]
    d2 = d2 + np.eye(n)
    s6 = (sigma**2 / d2) ** 3
    pair = 4 * epsilon * (s6**2 - s6)
    return np.sum(np.triu(pair, k=1))


def lennard_jones_cutoff(distances, *, epsilon: float = 1.0, sigma: float = 1.0, cutoff: float = 1.5):
    """Shifted to zero at the cutoff, and zero behind it."""
    s6 = (sigma / distances) ** 6
    shift = 4 * epsilon * ((sigma / cutoff) ** 12 - (sigma / cutoff) ** 6)
    energy = np.where(distances < cutoff, 4 * epsilon * (s6**2 - s6) - shift, 0.0)
    return energy.sum()


def ising_energy(spins, coupling, field):
    """A periodic lattice."""
    right = np.roll(spins, -1, axis=1)
    down = np.roll(spins, -1, axis=0)
    return -coupling * np.sum(spins * (right + down)) - field * np.sum(spins)


def ising_chain(spins, couplings, *, periodic: bool = True):
    """A chain with a coupling per bond."""
    energy = 0.0
    n = len(spins)
    for i in range(n - 1):
        energy = energy - couplings[i] * spins[i] * spins[i + 1]
    if periodic:
        energy = energy - couplings[n - 1] * spins[-1] * spins[0]
    return energy


def lorenz(state, sigma, rho, beta):
    x, y, z = state
    return np.stack([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])


def lorenz_rk4(state, sigma, rho, beta, *, dt: float = 0.02, steps: int = 3):
    """The Lorenz system with the parameters as inputs."""
    for _ in range(steps):
        k1 = lorenz(state, sigma, rho, beta)
        k2 = lorenz(state + dt / 2 * k1, sigma, rho, beta)
        k3 = lorenz(state + dt / 2 * k2, sigma, rho, beta)
        k4 = lorenz(state + dt * k3, sigma, rho, beta)
        state = state + dt * (k1 + 2 * k2 + 2 * k3 + k4) / 6
    return state


def kepler_leapfrog(q, p, *, dt: float = 0.05, steps: int = 5):
    """Kick, drift, kick around a fixed sun; position and momentum at the end."""

    def acceleration(q):
        return -q / np.sum(q * q) ** 1.5

    p = p + 0.5 * dt * acceleration(q)
    for step in range(steps):
        q = q + dt * p
        if step < steps - 1:
            p = p + dt * acceleration(q)
    p = p + 0.5 * dt * acceleration(q)
    return q, p


def kepler_anomaly(mean_anomaly, eccentricity, *, iterations: int = 8):
    """Kepler's equation by Newton's method."""
    e = mean_anomaly
    for _ in range(iterations):
        f = e - eccentricity * np.sin(e) - mean_anomaly
        e = e - f / (1 - eccentricity * np.cos(e))
    return e


def spring_chain_energy(x, k):
    """Springs between neighbours, walls at both ends."""
    n = x.size
    extended = np.concatenate((np.zeros(1), x, np.array([float(n + 1)])))
    return 0.5 * np.sum(k * (np.diff(extended) - 1) ** 2)


def verlet(x, v, *, k: float = 2.0, damping: float = 0.1, dt: float = 0.1, steps: int = 4):
    """Velocity Verlet; the trajectory is written into a table."""
    trajectory = np.zeros((steps + 1, x.shape[0]))
    trajectory[0] = x
    a = -k * x - damping * v
    for i in range(steps):
        x = x + v * dt + 0.5 * a * dt**2
        a_new = -k * x - damping * v
        v = v + 0.5 * (a + a_new) * dt
        a = a_new
        trajectory[i + 1] = x
    return trajectory


def random_walk_msd(steps):
    """Mean squared displacement at each lag."""
    path = np.cumsum(steps, axis=0)
    n = path.shape[0]
    msd = np.empty(n - 1)
    for lag in range(1, n):
        displacement = path[lag:] - path[:-lag]
        msd[lag - 1] = np.mean(np.sum(displacement**2, axis=1))
    return msd


def planck(wavelength, temperature):
    """Spectral radiance in scaled units; far in the infrared the Rayleigh-Jeans limit."""
    x = 1.0 / (wavelength * temperature)
    small = x < 1e-3
    safe = np.where(small, 1.0, x)
    return np.where(small, temperature / wavelength**4, 1 / (wavelength**5 * np.expm1(safe)))


SAMPLES = [
    (projectile_range, (positive(4), positive(4, seed=1) * 0.5, positive(4, seed=2)), {}),
    (projectile_with_drag, (positive(2), positive(2, seed=1)), {}),
    (projectile_with_drag, (positive(2), positive(2, seed=1)), {"steps": 0}),
    (double_pendulum_step, (positive(4),), {}),
    (heat_equation, (positive(7),), {}),
    (heat_equation_new_array, (positive(7),), {}),
    (heat_equation_by_index, (positive(6),), {}),
    (heat_equation_2d, (positive(4, 5),), {}),
    (wave_equation, (positive(7), normal(7) * 0.1), {}),
    (advection_upwind, (positive(6), np.array(0.7)), {}),
    (burgers, (normal(6),), {}),
    (gravity_forces, (normal(3, 2), positive(3)), {}),
    (gravity_forces_symmetric, (normal(3, 2), positive(3)), {}),
    (potential_energy, (normal(4, 3), positive(4)), {}),
    (lennard_jones, (np.arange(8.0).reshape(4, 2) ** 1.2 + 0.1 * normal(4, 2),), {}),
    (lennard_jones_cutoff, (np.array([0.9, 1.1, 1.3, 1.7, 2.2]),), {}),
    (ising_energy, (np.sign(normal(3, 4)), np.array(0.7), np.array(0.2)), {}),
    (ising_chain, (normal(5), positive(5)), {}),
    (ising_chain, (normal(5), positive(5)), {"periodic": False}),
    (lorenz_rk4, (positive(3), np.array(10.0), np.array(28.0), np.array(8 / 3)), {}),
    (kepler_leapfrog, (np.array([1.0, 0.1]), np.array([-0.2, 0.9])), {}),
    (kepler_anomaly, (positive(4), np.array(0.3)), {}),
    (spring_chain_energy, (np.arange(1.0, 5.0) + 0.1 * normal(4), positive(5)), {}),
    (verlet, (normal(3), normal(3, seed=1)), {}),
    (random_walk_msd, (normal(5, 2),), {}),
    (planck, (positive(5), np.array(1.5)), {}),
]
