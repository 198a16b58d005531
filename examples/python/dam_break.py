"""A dam breaks: a column of water collapses and runs along the floor to the far wall. A gauge, which is NumPy on the
particles' positions, tells how far its front has come and how high the water stands at the middle of the tank. Both are
drawn with matplotlib, if it is installed, or as text."""

import numpy as np

import firn

TANK, COLUMN, DEPTH = 2.0, 0.5, 1.0  # m: width of the tank, of the column, its height
GAUGE = 1.0  # m, where the height is measured

SCENE = {
    "title": "A dam breaks",
    "simulation": {"dimension": 2, "frames": 30, "fps": 30, "gravity": [0, -9.81], "integrator": "incompressible"},
    "grid": {"dx": 0.04, "domain": {"min": [0, 0], "max": [TANK, 1.4], "boundary": "separate"}},
    "material": {"water": {"preset": "water"}},
    "body": [{"name": "column", "material": "water", "shape": {"type": "box", "min": [0, 0], "max": [COLUMN, DEPTH]}}],
    "output": {"color": "speed", "resolution": [480, 336]},
}


def front(x):
    """Where all but a thousandth of the water is behind: single drops are not the front."""
    return np.quantile(x[:, 0], 0.999)


def height(x, at, width):
    """Of the water's surface in a strip of the tank, 0 where it is dry."""
    strip = x[np.abs(x[:, 0] - at) < width / 2, 1]
    return np.quantile(strip, 0.9) if len(strip) > 4 else 0.0


def draw(times, fronts, heights):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        for time, far, high in zip(times, fronts, heights):
            bar = "=" * round(30 * far / TANK)
            print(f"t = {time:.2f} s  front {far:.2f} m |{bar:<30}|  height at the gauge {high:.2f} m")
        return
    figure, axes = plt.subplots()
    axes.plot(times, fronts, label="front, m")
    axes.plot(times, heights, label=f"height at x = {GAUGE:g} m, m")
    axes.set_xlabel("t, s")
    axes.legend()
    figure.savefig("dam_break.png")
    print("dam_break.png")


def main():
    scene = firn.Scene.from_dict(SCENE, name="dam-break")
    simulation = firn.Simulation(scene)
    print(simulation)
    times, fronts, heights = [], [], []

    def measure(frame):
        x = simulation.field("position")
        times.append(frame.time)
        fronts.append(front(x))
        heights.append(height(x, GAUGE, 2 * scene.grid.dx))

    simulation.run(on_frame=measure)
    draw(times, fronts, heights)
    with open("dam_break_frame.png", "wb") as file:
        file.write(firn.png(simulation.picture()))

    # A front without friction runs at no more than 2 sqrt(g h), and reaches the wall well within the second.
    speeds = np.diff(fronts) / np.diff(times)
    assert speeds.max() < 2 * np.sqrt(9.81 * DEPTH), speeds
    assert fronts[-1] > 0.95 * TANK, fronts
    assert heights[0] == 0 and max(heights) > 0.05, heights


if __name__ == "__main__":
    main()
