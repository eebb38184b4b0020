"""Exports a FreeCAD document as one STEP file with its assembly tree: links, containers, names and placements.

    freecadcmd freecad_export.py          # reads design.FCStd, writes design.step
    interfere import design.step -o design

The variables FREECAD_IN and FREECAD_OUT name other files.
"""

import os

import FreeCAD
import Import
import Part

SOURCE = os.path.abspath(os.environ.get("FREECAD_IN", "design.FCStd"))
TARGET = os.path.abspath(os.environ.get("FREECAD_OUT", "design.step"))

document = FreeCAD.openDocument(SOURCE)
document.recompute()


def has_shape(obj):
    """Tells if a visible root object is a solid, a link, or a container with one."""
    return obj.Visibility and not Part.getShape(obj, "", needSubElement=False, transform=True).isNull()


roots = [obj for obj in document.RootObjects if has_shape(obj)]
if not roots:
    raise SystemExit(f"{SOURCE}: no visible object has a shape")
Import.export(roots, TARGET)
print(f"{len(roots)} objects written to {TARGET}")
