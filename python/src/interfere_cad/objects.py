"""Writes assembly folders from shapes in memory, of CadQuery, build123d, or the kernel itself."""

from __future__ import annotations

from pathlib import Path

from .errors import Notes
from .settings import Settings


def write_assembly(folder, items, deflection: float = 0.05, angle: float = 0.3, name: str | None = None, force=False):
    """Writes an assembly folder, and returns the content of its `import.json`.

    `items` is a `cadquery.Assembly`, a build123d `Compound` with children, or an iterable of `(path, shape, location)`
    or `(path, shape, location, colour)`: names joined by `/`, a `TopoDS_Shape`, a `TopLoc_Location` into the frame of
    the assembly (mm), and a text such as `#ff8000`. Each solid is a part; instances of one shape share it.
    `deflection` (mm) and `angle` (radians) go to the mesher; the folder holds the measured deflection of each part.

    Raises `Refused` for an item without a solid, for a face that the kernel cannot mesh, and for a folder with files
    of somebody else. Warnings go to stderr.
    """
    from . import folder as folders

    notes = Notes()
    settings = Settings(deflection, angle)
    folder = Path(folder)
    design = folders.design_of(tree_of(items), name or folder.name, settings, notes, [])
    origin = folders.Origin(None, None, "objects", None, None)
    record = folders.write(folder, design, origin, settings, notes, force)
    notes.print()
    return record


def items_of(assembly):
    """Yields `(path, shape, location, colour)` for each leaf of an assembly object, or the given items."""
    if hasattr(assembly, "children") and hasattr(assembly, "objects"):
        for shape, path, location, colour in assembly:  # A cadquery.Assembly.
            yield path, shape.wrapped, location.wrapped, _hex(colour)
    elif hasattr(assembly, "children") and hasattr(assembly, "global_location"):
        yield from _build123d(assembly, [])
    else:
        for path, shape, location, *colour in assembly:
            yield path, getattr(shape, "wrapped", shape), getattr(location, "wrapped", location), *colour[:1]


def _build123d(node, above: list[str]):
    from OCP.TopLoc import TopLoc_Location

    path = [*above, (node.label or "part").replace("/", "_")]
    for child in node.children:
        yield from _build123d(child, path)
    if not node.children:
        bare = node.wrapped.Located(TopLoc_Location())
        yield "/".join(path), bare, node.global_location.wrapped, _hex(node.color)


def _hex(colour) -> str | None:
    from OCP.Quantity import Quantity_Color

    if colour is None:
        return None
    text = Quantity_Color.ColorToHex_s(colour.wrapped.GetRGB())
    return (text if isinstance(text, str) else text.ToCString()).lower()


def tree_of(items):
    """Makes the tree of items: names above a leaf are one level for all its leaves."""
    from OCP.TopLoc import TopLoc_Location

    from .tree import Leaf, Level, Tree

    leaves = []
    for number, (path, shape, location, *colour) in enumerate(items_of(items)):
        names = str(path).split("/")
        levels = [Level(name, "", name) for name in names[:-1]]
        levels.append(Level(names[-1], names[-1], f"{names[-1]}/{number}"))
        at = location.Multiplied(shape.Location())
        leaves.append(Leaf(levels, shape.Located(TopLoc_Location()), at, colour[0] if colour else None))
    roots = {leaf.levels[0].product or leaf.levels[0].occurrence for leaf in leaves}
    single = len(roots) == 1 and any(len(leaf.levels) > 1 for leaf in leaves)
    return Tree(leaves, single, roots.pop() if single else "")
