"""A plate with two pins that are too thick for their holes, in CadQuery. Writes the folder `design`."""

import sys

import cadquery as cq

from interfere_cad import write_assembly

plate = cq.Workplane().box(40, 20, 10).faces(">Z").workplane().pushPoints([(-10, 0), (10, 0)]).hole(3)
pin = cq.Workplane().circle(1.55).extrude(20)

assembly = cq.Assembly(name="plate-with-pins")
assembly.add(plate, name="plate")
assembly.add(pin, name="pin-left", loc=cq.Location((-10, 0, -10)))
assembly.add(pin, name="pin-right", loc=cq.Location((10, 0, -10)))

if __name__ == "__main__":
    write_assembly(sys.argv[1] if len(sys.argv) > 1 else "design", assembly)
