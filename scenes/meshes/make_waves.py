#!/usr/bin/env python3
"""Writes waves/wave_00.obj to wave_11.obj, the floor of scenes/letters-on-waves.toml: a slab over whose upper side a
wave travels, once along its length in twelve files. Its vertices move up and down and to and fro as those of deep water
do (Gerstner's wave), less towards the edge; the faces are the same in all files.

Usage: python3 scenes/meshes/make_waves.py scenes/meshes/waves
"""
import sys
from math import cos, pi, sin
from pathlib import Path

FILES, COLUMNS, ROWS = 12, 32, 6
LENGTH, WIDTH, DEPTH = 1.6, 0.7, 0.25  # m
WAVES, HEIGHT = 2, 0.035               # along the length; amplitude, m


def vertex(column, row, phase):
    x, z = LENGTH * (column / COLUMNS - 0.5), WIDTH * (row / ROWS - 0.5)
    k = 2 * pi * WAVES / LENGTH
    still = min(1.0, 4 * min(column / COLUMNS, 1 - column / COLUMNS) + 0.2)
    angle = k * x - phase
    return x - still * HEIGHT * sin(angle), still * HEIGHT * cos(angle), z


def rim():
    """The columns and rows of the edge of the upper side, counter-clockwise seen from above (from +y: x to the right, z
    towards the viewer)."""
    return ([(c, ROWS) for c in range(COLUMNS)] + [(COLUMNS, r) for r in range(ROWS, 0, -1)]
            + [(c, 0) for c in range(COLUMNS, 0, -1)] + [(0, r) for r in range(ROWS)])


def obj(number):
    def index(column, row):
        return 1 + column + (COLUMNS + 1) * row

    phase = 2 * pi * number / FILES
    lines = [f"# written by make_waves.py, {number + 1} of {FILES}"]
    for row in range(ROWS + 1):
        for column in range(COLUMNS + 1):
            lines.append("v {:.4f} {:.4f} {:.4f}".format(*vertex(column, row, phase)))
    edge, first = rim(), 1 + (COLUMNS + 1) * (ROWS + 1)
    for column, row in edge:
        x, _, z = vertex(column, row, phase)
        lines.append(f"v {x:.4f} {-DEPTH:.4f} {z:.4f}")
    for row in range(ROWS):
        for column in range(COLUMNS):
            lines.append("f {} {} {} {}".format(index(column, row), index(column, row + 1), index(column + 1, row + 1),
                                                index(column + 1, row)))
    for i, at in enumerate(edge):
        j = (i + 1) % len(edge)
        lines.append(f"f {index(*at)} {first + i} {first + j} {index(*edge[j])}")

    # The underside, in strips across, as its edge moves to and fro.
    def below(column, row):
        return first + edge.index((column, row))
    for column in range(COLUMNS):
        near = [below(column, ROWS), below(column + 1, ROWS)]
        far = [below(column, 0), below(column + 1, 0)]
        west = [below(0, r) for r in range(ROWS - 1, 0, -1)] if column == 0 else []
        east = [below(COLUMNS, r) for r in range(1, ROWS)] if column == COLUMNS - 1 else []
        lines.append("f " + " ".join(map(str, [near[0], *west, *far, *east, near[1]])))
    return "\n".join(lines) + "\n"


folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for number in range(FILES):
    (folder / f"wave_{number:02}.obj").write_text(obj(number))
