"""Images, rotations and shapes."""

import numpy as np

from .samples import normal, positive


def bilinear_sample(image, y, x):
    """At places between the pixels."""
    y0 = np.floor(y).astype(int)
    x0 = np.floor(x).astype(int)
    y1 = y0 + 1
    x1 = x0 + 1
    wy = y - y0
    wx = x - x0
    top = (1 - wx) * image[y0, x0] + wx * image[y0, x1]
    bottom = (1 - wx) * image[y1, x0] + wx * image[y1, x1]
    return (1 - wy) * top + wy * bottom


def bilinear_clipped(image, points):
    """Places outside of the image take its edge."""
    h, w = image.shape
    y = np.clip(points[:, 0], 0.0, h - 1.001)
    x = np.clip(points[:, 1], 0.0, w - 1.001)
    i = y.astype(np.int64)
    j = x.astype(np.int64)
    a, b = y - i, x - j
    return (
        (1 - a) * (1 - b) * image[i, j]
        + (1 - a) * b * image[i, j + 1]
        + a * (1 - b) * image[i + 1, j]
        + a * b * image[i + 1, j + 1]
    )


def rotation_2d(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def rotate_points(points, angle, center):
    return (points - center) @ rotation_2d(angle).T + center


def euler_rotation(angles):
    """Three matrices filled entry by entry."""
    a, b, g = angles[0], angles[1], angles[2]
    rx = np.eye(3)
    rx[1, 1] = np.cos(a)
    rx[1, 2] = -np.sin(a)
    rx[2, 1] = np.sin(a)
    rx[2, 2] = np.cos(a)
    ry = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    rz = np.zeros((3, 3))
    rz[0, 0] = rz[1, 1] = np.cos(g)
    rz[0, 1] = -np.sin(g)
    rz[1, 0] = np.sin(g)
    rz[2, 2] = 1
    return rz @ ry @ rx


def rodrigues(axis, angle):
    """A rotation about an axis."""
    k = axis / np.linalg.norm(axis)
    cross = np.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def polygon_area(vertices):
    """The shoelace formula."""
    x, y = vertices[:, 0], vertices[:, 1]
    return 0.5 * np.abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


def polygon_area_loop(vertices):
    area = 0.0
    n = len(vertices)
    for i in range(n):
        j = (i + 1) % n
        area += vertices[i, 0] * vertices[j, 1] - vertices[j, 0] * vertices[i, 1]
    return abs(area) / 2


def polygon_centroid(vertices):
    x, y = vertices.T
    x1, y1 = np.roll(x, -1), np.roll(y, -1)
    cross = x * y1 - x1 * y
    area = cross.sum() / 2
    cx = np.sum((x + x1) * cross) / (6 * area)
    cy = np.sum((y + y1) * cross) / (6 * area)
    return np.array([cx, cy])


def sobel_magnitude(image, *, eps: float = 1e-3):
    """By slices."""
    gx = (
        image[:-2, 2:] + 2 * image[1:-1, 2:] + image[2:, 2:]
        - image[:-2, :-2] - 2 * image[1:-1, :-2] - image[2:, :-2]
    )  # fmt: skip
    gy = (
        image[2:, :-2] + 2 * image[2:, 1:-1] + image[2:, 2:]
        - image[:-2, :-2] - 2 * image[:-2, 1:-1] - image[:-2, 2:]
    )  # fmt: skip
    return np.sqrt(gx**2 + gy**2 + eps)


def pinhole_projection(
    points, rotation, translation, *, focal: float = 2.0, principal: tuple[float, float] = (0.5, 0.5)
):
    camera = points @ rotation.T + translation
    z = camera[:, 2]
    u = focal * camera[:, 0] / z + principal[0]
    v = focal * camera[:, 1] / z + principal[1]
    return np.stack([u, v], axis=-1)


def reprojection_error(points, pixels, angles, translation, k1):
    """With radial distortion."""
    camera = points @ euler_rotation(angles).T + translation
    xy = camera[:, :2] / camera[:, 2:]
    r2 = np.sum(xy**2, axis=1, keepdims=True)
    distorted = xy * (1 + k1 * r2)
    return np.sum((distorted - pixels) ** 2)


def quaternion_product(p, q):
    pw, px, py, pz = p
    qw, qx, qy, qz = q
    return np.array([
        pw * qw - px * qx - py * qy - pz * qz,
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
    ])  # fmt: skip


def quaternion_rotate(q, v):
    """Of a vector, by two products."""
    q = q / np.sqrt(np.sum(q**2))
    pure = np.concatenate([np.zeros(1), v])
    conjugate = q * np.array([1.0, -1.0, -1.0, -1.0])
    return quaternion_product(quaternion_product(q, pure), conjugate)[1:]


def slerp(p, q, t):
    """Between two unit vectors; straight where they are close."""
    p = p / np.linalg.norm(p)
    q = q / np.linalg.norm(q)
    dot = np.sum(p * q)
    angle = np.arccos(np.clip(dot, -1.0, 1.0))
    return (np.sin((1 - t) * angle) * p + np.sin(t * angle) * q) / np.sin(angle)


def triangle_area(a, b, c):
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a))


def mesh_area(vertices, faces):
    """Faces are triples of whole numbers."""
    total = 0.0
    for face in faces:
        a, b, c = vertices[face[0]], vertices[face[1]], vertices[face[2]]
        total += triangle_area(a, b, c)
    return total


def mesh_volume(vertices, faces):
    triangles = vertices[faces]
    return np.sum(triangles[:, 0] * np.cross(triangles[:, 1], triangles[:, 2])) / 6


def barycentric(p, a, b, c):
    v0, v1, v2 = b - a, c - a, p - a
    d00, d01, d11 = v0 @ v0, v0 @ v1, v1 @ v1
    d20, d21 = v2 @ v0, v2 @ v1
    denominator = d00 * d11 - d01 * d01
    v = (d11 * d20 - d01 * d21) / denominator
    w = (d00 * d21 - d01 * d20) / denominator
    return 1 - v - w, v, w


def segment_distance(p, a, b):
    """From a point to a segment."""
    ab = b - a
    t = np.dot(p - a, ab) / np.dot(ab, ab)
    t = np.clip(t, 0.0, 1.0)
    return np.linalg.norm(p - (a + t * ab))


def ray_sphere(origin, direction, center, radius):
    """The distance to the nearer hit, or a large number."""
    d = direction / np.linalg.norm(direction)
    oc = origin - center
    b = 2 * np.dot(oc, d)
    c = np.dot(oc, oc) - radius**2
    discriminant = b**2 - 4 * c
    root = np.sqrt(np.maximum(discriminant, 0.0))
    return np.where(discriminant > 0, (-b - root) / 2, 1e3)


def box_blur(image, *, passes: int = 2):
    """Inside only; the border keeps its values."""
    out = image.copy()
    for _ in range(passes):
        blurred = out.copy()
        blurred[1:-1, 1:-1] = (
            out[1:-1, 1:-1] + out[:-2, 1:-1] + out[2:, 1:-1] + out[1:-1, :-2] + out[1:-1, 2:]
        ) / 5
        out = blurred
    return out


def separable_blur(image, kernel):
    """Rows, then columns, with edges repeated."""
    pad = kernel.shape[0] // 2
    padded = np.pad(image, pad, mode="edge")
    h, w = image.shape
    rows = np.zeros((h + 2 * pad, w))
    for k in range(kernel.shape[0]):
        rows += kernel[k] * padded[:, k : k + w]
    out = np.zeros((h, w))
    for k in range(kernel.shape[0]):
        out += kernel[k] * rows[k : k + h]
    return out


def total_variation(image, *, anisotropic: bool = False, eps: float = 0.01):
    dx = image[:, 1:] - image[:, :-1]
    dy = image[1:, :] - image[:-1, :]
    if anisotropic:
        return np.sum(np.sqrt(dx**2 + eps)) + np.sum(np.sqrt(dy**2 + eps))
    return np.sum(np.sqrt(dx[:-1] ** 2 + dy[:, :-1] ** 2 + eps))


def affine_fit(source, target):
    """Least squares by the normal equations."""
    ones = np.ones((source.shape[0], 1))
    a = np.hstack([source, ones])
    return np.linalg.inv(a.T @ a) @ a.T @ target


def chamfer(a, b):
    d = np.sum((a[:, None] - b[None]) ** 2, axis=2)
    return d.min(axis=0).mean() + d.min(axis=1).mean()


def path_length(points, *, closed: bool = False):
    length = 0.0
    for k in range(1, len(points)):
        length = length + np.hypot(*(points[k] - points[k - 1]))
    if closed:
        step = points[0] - points[-1]
        length = length + np.hypot(step[0], step[1])
    return length


def histogram_soft(image, *, bins: int = 3, width: float = 0.5):
    """A Gaussian around each center."""
    centers = np.linspace(0.0, 2.0, bins)
    hist = np.zeros(bins)
    for b in range(bins):
        hist[b] = np.sum(np.exp(-(((image - centers[b]) / width) ** 2)))
    return hist / hist.sum()


def gamma_and_threshold(image, gamma, *, threshold: float = 1.0):
    """Dark pixels are set to zero."""
    out = image**gamma
    out[image < threshold] = 0.0
    return out


def covariance_normals(points):
    """The scatter matrix, added up by outer products."""
    center = np.mean(points, axis=0)
    scatter = np.zeros((3, 3))
    for p in points:
        d = p - center
        scatter += np.outer(d, d)
    return scatter / len(points)


POLYGON = np.array([[0.0, 0.1], [2.0, 0.0], [2.2, 1.5], [0.7, 2.1]])
TETRAHEDRON = np.array([[0.0, 0.1, 0.0], [1.0, 0.0, 0.2], [0.1, 1.1, 0.0], [0.0, 0.2, 0.9]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
CORNERS = (np.array([0.3, 0.4]), np.array([0.0, 0.0]), np.array([1.0, 0.2]), np.array([0.1, 1.3]))
FAR = np.array([0.1, 0.2, 4.0])

SAMPLES = [
    (bilinear_sample, (normal(4, 4), np.array([0.3, 1.7, 2.4]), np.array([1.2, 0.6, 2.1])), {}),
    (bilinear_clipped, (normal(3, 4), np.array([[0.3, 1.2], [-0.5, 2.7], [5.0, 0.4]])), {}),
    (rotate_points, (normal(3, 2), np.array(0.7), normal(2)), {}),
    (euler_rotation, (normal(3),), {}),
    (rodrigues, (normal(3), np.array(0.8)), {}),
    (polygon_area, (POLYGON,), {}),
    (polygon_area_loop, (POLYGON,), {}),
    (polygon_centroid, (POLYGON,), {}),
    (sobel_magnitude, (normal(4, 5),), {}),
    (pinhole_projection, (positive(3, 3), np.eye(3) + 0.1 * normal(3, 3), FAR), {}),
    (reprojection_error, (normal(3, 3), normal(3, 2), 0.2 * normal(3), FAR, np.array(0.1)), {}),
    (quaternion_product, (normal(4), normal(4, seed=1)), {}),
    (quaternion_rotate, (normal(4), normal(3)), {}),
    (slerp, (normal(3), normal(3, seed=1), np.array(0.3)), {}),
    (triangle_area, (normal(3), normal(3, seed=1), normal(3, seed=2)), {}),
    (mesh_area, (TETRAHEDRON, FACES), {}),
    (mesh_volume, (TETRAHEDRON, FACES), {}),
    (barycentric, CORNERS, {}),
    (segment_distance, (np.array([0.3, 0.9]), np.array([0.0, 0.0]), np.array([1.0, 0.2])), {}),
    (ray_sphere, (np.array([0.0, 0.1, -3.0]), np.array([0.0, 0.1, 1.0]), np.zeros(3), np.array(1.0)), {}),
    (box_blur, (normal(4, 4),), {}),
    (separable_blur, (normal(3, 4), positive(3)), {}),
    (total_variation, (normal(3, 4),), {}),
    (total_variation, (normal(3, 4),), {"anisotropic": True}),
    (affine_fit, (normal(4, 2), normal(4, 2, seed=1)), {}),
    (chamfer, (normal(3, 2), normal(4, 2)), {}),
    (path_length, (normal(4, 2),), {}),
    (path_length, (normal(4, 2),), {"closed": True}),
    (histogram_soft, (positive(2, 3),), {}),
    (gamma_and_threshold, (positive(2, 3), np.array(1.3)), {}),
    (covariance_normals, (normal(4, 3),), {}),
]
