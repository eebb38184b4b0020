"""Makes the FreeCAD document of the recipe test: a plate and two links to one pin, inside a container.

Runs in FreeCAD; the variable FREECAD_OUT names the document.
"""

import os

import FreeCAD
import Part

document = FreeCAD.newDocument("design")
shape = Part.makeBox(40, 20, 10, FreeCAD.Vector(-20, -10, -5))
for x in (-10, 10):
    shape = shape.cut(Part.makeCylinder(1.5, 10, FreeCAD.Vector(x, 0, -5)))
plate = document.addObject("Part::Feature", "Plate")
plate.Shape = shape
pin = document.addObject("Part::Feature", "Pin")
pin.Shape = Part.makeCylinder(1.55, 20)
store = document.addObject("App::Part", "Store")
store.addObject(plate)
store.addObject(pin)
store.Visibility = False
design = document.addObject("App::Part", "Design")
for label, target, place in (("plate", plate, (0, 0, 0)), ("pin-left", pin, (-10, 0, -10)), ("pin-right", pin, (10, 0, -10))):
    link = document.addObject("App::Link", label.replace("-", "_"))
    link.Label, link.LinkedObject, link.Placement.Base = label, target, FreeCAD.Vector(*place)
    design.addObject(link)
document.recompute()
document.saveAs(os.environ["FREECAD_OUT"])
