#!/usr/bin/env python3
"""Writes torus_knot.obj, the closed mesh that scenes/mesh-drop.toml drops: a tube around the (2, 3) torus knot.

Usage: python3 scenes/meshes/make_torus_knot.py > scenes/meshes/torus_knot.obj
"""
from math import cos, pi, sin, sqrt

RINGS, SIDES = 96, 12  # points along the knot and around the tube
TUBE = 0.42            # radius of the tube; the knot's own is 3


def centre(t):
    r = 2 + cos(3 * t)
    return (r * cos(2 * t), r * sin(2 * t), -sin(3 * t))


def unit(v):
    length = sqrt(sum(c * c for c in v))
    return tuple(c / length for c in v)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def ring(t):
    """One circle of the tube, in the plane normal to the knot; the frame leans on the axis z, which it never meets."""
    ahead, here = centre(t + 1e-4), centre(t - 1e-4)
    tangent = unit(tuple(a - b for a, b in zip(ahead, here)))
    side = unit(cross((0, 0, 1), tangent))
    up = cross(tangent, side)
    for k in range(SIDES):
        u, v = TUBE * cos(2 * pi * k / SIDES), TUBE * sin(2 * pi * k / SIDES)
        yield tuple(c + u * s + v * w for c, s, w in zip(centre(t), side, up))


print("# A tube around the (2, 3) torus knot, made by make_torus_knot.py")
for i in range(RINGS):
    for x, y, z in ring(2 * pi * i / RINGS):
        print(f"v {x:.4f} {y:.4f} {z:.4f}")
for i in range(RINGS):
    for k in range(SIDES):
        a, b = i * SIDES + k, i * SIDES + (k + 1) % SIDES
        c, d = (a + SIDES) % (RINGS * SIDES), (b + SIDES) % (RINGS * SIDES)
        print(f"f {a + 1} {c + 1} {d + 1}")
        print(f"f {a + 1} {d + 1} {b + 1}")
