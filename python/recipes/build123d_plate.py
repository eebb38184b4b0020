"""A plate with two pins that are too thick for their holes, in build123d. Writes the folder `design`."""

import copy
import sys

from build123d import Align, Box, Compound, Cylinder, Pos

from interfere_cad import write_assembly

plate = Box(40, 20, 10) - Pos(-10, 0, 0) * Cylinder(1.5, 10) - Pos(10, 0, 0) * Cylinder(1.5, 10)
plate.label = "plate"
pin = Cylinder(1.55, 20, align=(Align.CENTER, Align.CENTER, Align.MIN))
left, right = copy.copy(pin), copy.copy(pin)
left.label, right.label = "pin-left", "pin-right"
left.position, right.position = (-10, 0, -10), (10, 0, -10)
assembly = Compound(label="plate-with-pins", children=[plate, left, right])

if __name__ == "__main__":
    write_assembly(sys.argv[1] if len(sys.argv) > 1 else "design", assembly)
