"""Solids and STEP files of the tests, made by the kernel."""

from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCone,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakeSphere,
    BRepPrimAPI_MakeTorus,
)
from OCP.gp import gp_Ax1, gp_Ax2, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
from OCP.TopLoc import TopLoc_Location


def box(x=10.0, y=20.0, z=30.0):
    return BRepPrimAPI_MakeBox(x, y, z).Shape()


def cylinder(radius=5.0, height=20.0):
    return BRepPrimAPI_MakeCylinder(radius, height).Shape()


def sphere(radius=7.0):
    return BRepPrimAPI_MakeSphere(radius).Shape()


def tip(radius=5.0, height=8.0):
    """A cone that ends in a point."""
    return BRepPrimAPI_MakeCone(radius, 0.0, height).Shape()


def torus(major=10.0, minor=2.0):
    return BRepPrimAPI_MakeTorus(major, minor).Shape()


def at(x=0.0, y=0.0, z=0.0, angle=0.0):
    """A location: turned about z by `angle` (radians), then moved."""
    turn, move = gp_Trsf(), gp_Trsf()
    turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), angle)
    move.SetTranslation(gp_Vec(x, y, z))
    return TopLoc_Location(move.Multiplied(turn))


def mirrored():
    """A location that mirrors x."""
    mirror = gp_Trsf()
    mirror.SetMirror(gp_Ax2(gp_Pnt(0, 0, 0), gp_Dir(1, 0, 0)))
    return TopLoc_Location(mirror)


def write_step(path, tree, unit="MM", schema="AP214IS"):
    """Writes an assembly as STEP.

    `tree` is `(name, components)`; a component is `(occurrence, product, location)`, with a tree or `(name, shape)` for
    the product. Equal products are one product of the file.
    """
    from OCP.IFSelect import IFSelect_ReturnStatus
    from OCP.Interface import Interface_Static
    from OCP.STEPCAFControl import STEPCAFControl_Writer
    from OCP.STEPControl import STEPControl_StepModelType
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDocStd import TDocStd_Document
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    from interfere_cad import kernel

    document = TDocStd_Document(TCollection_ExtendedString("BinXCAF"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    known = {}

    def name(label, text):
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(text, True))

    def add(product):
        if id(product) not in known:
            title, content = product
            if isinstance(content, list):
                label = tool.NewShape()
                for occurrence, child, location in content:
                    name(tool.AddComponent(label, add(child), location), occurrence)
            else:
                label = tool.AddShape(content, False)
            name(label, title)
            known[id(product)] = label
        return known[id(product)]

    with kernel.quiet():
        add(tree)
        tool.UpdateAssemblies()
        writer = STEPCAFControl_Writer()
        Interface_Static.SetCVal_s("write.step.unit", unit)
        Interface_Static.SetCVal_s("write.step.schema", schema)
        writer.SetNameMode(True)
        writer.Transfer(document, STEPControl_StepModelType.STEPControl_AsIs)
        status = writer.Write(str(path))
        Interface_Static.SetCVal_s("write.step.unit", "MM")
    assert status == IFSelect_ReturnStatus.IFSelect_RetDone
    return path
