"""Reads a CAD file into leaves: shapes with the names above them and their placements."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from . import kernel
from .errors import Refused
from .source import Source

DEEPEST = 256
MOST_LEAVES = 10_000_000


@dataclass
class Level:
    """One level of the assembly tree above a leaf."""

    occurrence: str
    product: str
    # Place in the file: siblings with equal names differ in it.
    entry: str


@dataclass
class Leaf:
    """A shape without components."""

    levels: list[Level]
    shape: object
    # Location of the shape in the frame of the assembly (TopLoc_Location).
    location: object
    colour: str | None
    # Colour of each solid, where the file gives one to the solid.
    solid_colours: list[str | None] = field(default_factory=list)


@dataclass
class Tree:
    """The leaves of a file, in the order of the file."""

    leaves: list[Leaf] = field(default_factory=list)
    # True if the file has one root, which holds components.
    single_root: bool = False
    name: str = ""


def read(source: Source) -> Tree:
    """Reads a file with the kernel; lengths in mm. Raises `Refused` where the kernel reads nothing."""
    with kernel.quiet() as printed:
        try:
            if source.format in ("brep", "binary-brep"):
                return _read_brep(source)
            alone = source.alone()
            if alone is None:
                return _Walk(_document(source, source.path)).tree()
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "alone.step"
                path.write_bytes(alone)
                return _Walk(_document(source, path)).tree()
        except Refused:
            raise
        except Exception as error:  # The kernel raises its own exceptions.
            lines = [line for line in printed().splitlines() if line.strip()]
            detail = f" ({lines[-1].strip()})" if lines else ""
            raise Refused("unreadable", f"{source.path.name}: {type(error).__name__}: {error}{detail}") from error


def _read_brep(source: Source) -> Tree:
    from OCP.BRep import BRep_Builder
    from OCP.TopLoc import TopLoc_Location
    from OCP.TopoDS import TopoDS_Shape

    shape = TopoDS_Shape()
    if source.format == "brep":
        from OCP.BRepTools import BRepTools

        BRepTools.Read_s(shape, str(source.path), BRep_Builder())
    else:
        from OCP.BinTools import BinTools

        BinTools.Read_s(shape, str(source.path))
    if shape.IsNull():
        raise Refused("unreadable", f"{source.path.name}: the kernel finds no shape")
    name = source.path.stem
    leaf = Leaf([Level("", name, "0")], shape.Located(TopLoc_Location()), shape.Location(), None)
    return Tree([leaf], False, name)


def _document(source: Source, path: Path):
    from OCP.IFSelect import IFSelect_ReturnStatus
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDocStd import TDocStd_Document

    document = TDocStd_Document(TCollection_ExtendedString("BinXCAF"))
    if source.format == "step":
        from OCP.STEPCAFControl import STEPCAFControl_Reader

        reader = STEPCAFControl_Reader()
    else:
        from OCP.IGESCAFControl import IGESCAFControl_Reader

        reader = IGESCAFControl_Reader()
    reader.SetNameMode(True)
    reader.SetColorMode(True)
    if reader.ReadFile(str(path)) != IFSelect_ReturnStatus.IFSelect_RetDone:
        raise Refused("unreadable", f"{source.path.name}: the kernel cannot parse this {source.format.upper()} file")
    reader.Transfer(document)
    return document


class _Walk:
    """Walks the tree of a document."""

    def __init__(self, document):
        from OCP.TDataStd import TDataStd_Name
        from OCP.TDF import TDF_Label
        from OCP.XCAFDoc import XCAFDoc_ColorTool, XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

        self.document = document
        self.shapes = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
        self.colours = XCAFDoc_DocumentTool.ColorTool_s(document.Main())
        self.ShapeTool, self.ColorTool = XCAFDoc_ShapeTool, XCAFDoc_ColorTool
        self.Name, self.Label = TDataStd_Name, TDF_Label
        self.leaves: list[Leaf] = []

    def tree(self) -> Tree:
        from OCP.TopLoc import TopLoc_Location

        roots = kernel.labels(self.shapes.GetFreeShapes)
        for root in roots:
            self._visit(root, [Level("", self._name(root), self._entry(root))], TopLoc_Location(), None)
        single = len(roots) == 1 and self.ShapeTool.IsAssembly_s(roots[0])
        return Tree(self.leaves, single, self._name(roots[0]) if len(roots) == 1 else "")

    def _visit(self, label, levels, location, colour):
        from OCP.TopLoc import TopLoc_Location

        colour = self._colour(label) or colour
        if not self.ShapeTool.IsAssembly_s(label):
            shape = self.ShapeTool.GetShape_s(label)
            # A free shape may carry a location of its own.
            own = TopLoc_Location() if shape.IsNull() else shape.Location()
            bare = shape if shape.IsNull() else shape.Located(TopLoc_Location())
            solids = [self._shape_colour(s) for s in kernel.sub_shapes(bare, "SOLID")] if not bare.IsNull() else []
            self.leaves.append(Leaf(levels, bare, location.Multiplied(own), colour, solids))
            if len(self.leaves) > MOST_LEAVES:
                raise Refused("unsupported", f"more than {MOST_LEAVES} instances")
            return
        if len(levels) > DEEPEST:
            raise Refused("unsupported", f"the assembly tree is deeper than {DEEPEST} levels")
        for component in kernel.labels(lambda s: self.ShapeTool.GetComponents_s(label, s, False)):
            product = self.Label()
            if not self.ShapeTool.GetReferredShape_s(component, product):
                product = component
            level = Level(self._name(component), self._name(product), self._entry(component))
            at = location.Multiplied(self.ShapeTool.GetLocation_s(component))
            self._visit(product, [*levels, level], at, self._colour(component) or colour)

    def _name(self, label) -> str:
        attribute = self.Name()
        if not label.FindAttribute(self.Name.GetID_s(), attribute):
            return ""
        text = attribute.Get().ToExtString()
        # The kernel names a reference without a name after its label: "=>[0:1:1:2]".
        return "" if text.startswith("=>[") else text

    def _entry(self, label) -> str:
        from OCP.TCollection import TCollection_AsciiString
        from OCP.TDF import TDF_Tool

        entry = TCollection_AsciiString()
        TDF_Tool.Entry_s(label, entry)
        return entry.ToCString()

    def _colour(self, label) -> str | None:
        return self._hex(lambda kind, colour: self.ColorTool.GetColor_s(label, kind, colour))

    def _shape_colour(self, shape) -> str | None:
        return self._hex(lambda kind, colour: self.colours.GetColor(shape, kind, colour))

    @staticmethod
    def _hex(get) -> str | None:
        from OCP.Quantity import Quantity_Color
        from OCP.XCAFDoc import XCAFDoc_ColorType

        colour = Quantity_Color()
        for kind in ("XCAFDoc_ColorSurf", "XCAFDoc_ColorGen", "XCAFDoc_ColorCurv"):
            if get(getattr(XCAFDoc_ColorType, kind), colour):
                text = Quantity_Color.ColorToHex_s(colour)
                return (text if isinstance(text, str) else text.ToCString()).lower()
        return None
