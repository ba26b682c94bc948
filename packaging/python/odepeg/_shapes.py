"""Convex hulls and mass properties of small shapes."""
from itertools import combinations

import numpy as np


def mass_of_triangles(points, triangles):
    """Volume, centre and inertia (3, 3) about the origin, density 1, of a closed surface: sums over the
    tetrahedra between its triangles and the origin."""
    a, b, c = (np.asarray(points)[np.asarray(triangles)[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    total = volume.sum()
    if not total > 0:
        return total, np.zeros(3), np.eye(3)
    s = a + b + c
    second = np.einsum("t,ti,tj->ij", volume, s, s)
    for p in (a, b, c):
        second += np.einsum("t,ti,tj->ij", volume, p, p)
    second /= 20
    return total, (volume[:, None] * s / 4).sum(0) / total, np.trace(second) * np.eye(3) - second


def hull(points):
    """(points of the hull, faces counter-clockwise seen from outside, planes (f, 4)) of a point cloud."""
    points = np.unique(np.asarray(points, float), axis=0)
    if points.ndim != 2 or points.shape[1] != 3 or not 4 <= len(points) <= 200:
        raise ValueError("a convex geom needs 4 to 200 different points of three coordinates")
    if not np.isfinite(points).all():
        raise ValueError("a point is not finite: give numbers")
    size = np.ptp(points, axis=0).max()
    i, j, k = np.array(list(combinations(range(len(points)), 3))).T
    normal = np.cross(points[j] - points[i], points[k] - points[i])
    length = np.linalg.norm(normal, axis=1)
    good = length > 1e-12 * size**2
    normal, i = normal[good] / length[good, None], i[good]
    height = normal @ points.T - np.einsum("ij,ij->i", normal, points[i])[:, None]
    planes = {}
    for sign in (1, -1):
        for row in np.flatnonzero((sign * height <= 1e-9 * size).all(axis=1)):
            on = tuple(np.flatnonzero(np.abs(height[row]) <= 1e-9 * size))
            planes.setdefault(on, sign * normal[row])
    if len(planes) < 4:
        raise ValueError("the points lie in a plane: give some that span a volume")
    rings, out = [], []
    for on, n in planes.items():
        centre = points[list(on)].mean(0)
        x = points[on[0]] - centre
        angle = {v: np.arctan2(np.dot(np.cross(x, points[v] - centre), n), np.dot(x, points[v] - centre)) for v in on}
        rings.append(_corners(points, sorted(on, key=angle.get), n, size))
        out.append((*n, np.dot(n, centre)))
    used = sorted({v for ring in rings for v in ring})
    number = {v: n for n, v in enumerate(used)}
    return points[used], [[number[v] for v in ring] for ring in rings], np.array(out)


def _corners(points, ring, normal, size):
    """Without the points on the edges or inside of a face."""
    changed = True
    while changed:
        changed = False
        for at in range(len(ring)):
            a, b, c = points[ring[at - 1]], points[ring[at]], points[ring[(at + 1) % len(ring)]]
            if np.dot(np.cross(b - a, c - b), normal) <= 1e-9 * size**2:
                del ring[at]
                changed = True
                break
    return ring
