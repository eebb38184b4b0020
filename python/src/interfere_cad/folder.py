"""Makes parts and instances of leaves, and writes the assembly folder."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import __version__, kernel
from .errors import Notes, Refused, listed
from .mesh import Mesh, mesh
from .names import Unique, Words, clean
from .settings import Settings
from .tree import Leaf, Tree

# Sizes beyond which the unit of the file is doubtful (mm).
SMALLEST, LARGEST = 1.0, 50_000.0


@dataclass
class Part:
    """One distinct solid."""

    name: str
    # Names of the products in the file, in order.
    names: list[str]
    shape: object
    colour: str | None
    # 1 for a solid, 0 for open shells.
    solids: int
    mesh: Mesh | None = None
    file: str = ""


@dataclass
class Instance:
    """One placed part."""

    id: str
    part: Part
    # Three rows: rotation (and stretch), then translation (mm).
    matrix: list[list[float]]


@dataclass
class Design:
    """Parts and instances of an assembly."""

    name: str
    parts: list[Part] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    # Geometry outside the parts: the kind, and the ids of the components with it.
    left_out: dict[str, list[str]] = field(default_factory=dict)


def design_of(tree: Tree, name: str, settings: Settings, notes: Notes, asked_files: list[str]) -> Design:
    """Makes the parts and instances of a tree. Raises `Refused` for a component without geometry."""
    ids = _Ids(tree)
    design = Design(name)
    known: dict[int, list[Part]] = {}
    names = Unique()
    empty = []
    for leaf in tree.leaves:
        at = ids.of(leaf)
        pieces = _pieces(leaf, settings.open_shells)
        for what, count in _left_out(leaf, settings.open_shells):
            design.left_out.setdefault(what, []).extend([at] * count)
        if leaf.shape.IsNull() or next(kernel.sub_shapes(leaf.shape, "VERTEX"), None) is None:
            empty.append(at)
        for number, (shape, location, colour, solids) in enumerate(pieces, 1):
            same = known.setdefault(hash(shape), [])
            part = next((p for p in same if p.shape.IsEqual(shape)), None)
            product = ids.words.product_name(leaf)
            if part is None:
                suffix = f".s{number}" if number > 1 else ""
                part = Part(names.take((clean(product) or "part") + suffix), [], shape, colour, solids)
                same.append(part)
                design.parts.append(part)
            if product and product not in part.names:
                part.names.append(product)
            taken = ids.unique.take(at if number == 1 else f"{at}.s{number}")
            design.instances.append(Instance(taken, part, kernel.rows(location.Transformation())))
    _refuse_empty(design, empty, asked_files)
    _warn_left_out(design, settings, notes)
    ids.warn(notes)
    return design


def _pieces(leaf: Leaf, open_shells: bool):
    """Returns shape, location, colour and number of solids of each part in a leaf."""
    from OCP.TopLoc import TopLoc_Location

    if leaf.shape.IsNull():
        return []
    found = [(s, 1) for s in kernel.sub_shapes(leaf.shape, "SOLID")]
    colours = leaf.solid_colours or [None] * len(found)
    if open_shells:
        shells = [*kernel.sub_shapes(leaf.shape, "SHELL", "SOLID"), *kernel.sub_shapes(leaf.shape, "FACE", "SHELL")]
        found += [(s, 0) for s in shells]
        colours = [*colours, *[None] * len(shells)]
    return [
        (shape.Located(TopLoc_Location()), leaf.location.Multiplied(shape.Location()), colour or leaf.colour, solids)
        for (shape, solids), colour in zip(found, colours)
    ]


def _left_out(leaf: Leaf, open_shells: bool):
    """Yields each kind of geometry outside the parts, with its count."""
    if leaf.shape.IsNull():
        return
    counts = {
        "open-shell": 0 if open_shells else len(list(kernel.sub_shapes(leaf.shape, "SHELL", "SOLID"))),
        "face": 0 if open_shells else len(list(kernel.sub_shapes(leaf.shape, "FACE", "SHELL"))),
        "wire": len(list(kernel.sub_shapes(leaf.shape, "WIRE", "FACE"))),
        "curve": len(list(kernel.sub_shapes(leaf.shape, "EDGE", "WIRE"))),
        "point": len(list(kernel.sub_shapes(leaf.shape, "VERTEX", "EDGE"))),
    }
    yield from ((what, count) for what, count in counts.items() if count)


def _refuse_empty(design: Design, empty: list[str], asked_files: list[str]) -> None:
    if asked_files and (empty or not design.parts):
        raise Refused(
            "no-geometry",
            f"the geometry of {listed(empty) or 'the assembly'} is in other files: {listed(asked_files, 100)}; "
            "export the assembly as one STEP file",
        )
    if empty:
        raise Refused("no-geometry", f"no solid, surface or curve in {listed(empty)}; export solids")
    if not design.parts:
        kinds = ", ".join(f"{len(where)} of kind {what}" for what, where in design.left_out.items())
        fix = "; --open-shells takes surfaces as parts" if {"open-shell", "face"} & design.left_out.keys() else ""
        raise Refused("no-geometry", f"the file holds no solid ({kinds or 'and nothing else'}){fix}")


def _warn_left_out(design: Design, settings: Settings, notes: Notes) -> None:
    surfaces = design.left_out.get("open-shell", []) + design.left_out.get("face", [])
    if surfaces:
        where = listed(list(dict.fromkeys(surfaces)))
        notes.warn("open-shell", f"{len(surfaces)} surfaces bound no solid, left out; in {where}; --open-shells takes them")


class _Ids:
    """Ids of the leaves: names of levels, joined by dots, unique among siblings."""

    def __init__(self, tree: Tree):
        self.words = Words(tree)
        self.unique = Unique()
        self.siblings: dict[tuple, Unique] = {}
        self.named: dict[tuple, str] = {}
        self.first = 0 if not tree.single_root else 1
        self.by_order: list[str] = []

    def of(self, leaf: Leaf) -> str:
        """Returns the id of a leaf; leaves of one level above get one name for it."""
        above: tuple = ()
        place: tuple = ()
        names = []
        for level in leaf.levels[self.first :]:
            place = (*place, level.entry)
            text = self.words.level_name(level)
            if not text:
                continue
            if place not in self.named:
                wanted = clean(text)
                self.named[place] = self.siblings.setdefault(above, Unique()).take(wanted)
                if self.named[place] != wanted:
                    self.by_order.append(".".join([*names, self.named[place]]))
            names.append(self.named[place])
            above = place
        return ".".join(names) or clean(self.words.product_name(leaf)) or "part"

    def warn(self, notes: Notes) -> None:
        """Warns of ids that only the order of the file tells apart."""
        if self.by_order:
            notes.warn(
                "ids-by-order",
                f"{len(self.by_order)} components share their name with a sibling and are numbered in the order of the "
                f"file: {listed(self.by_order, 3)}; names of occurrences keep ids stable",
            )


def mesh_parts(design: Design, settings: Settings, notes: Notes, sink) -> None:
    """Meshes each part, and hands it to ``sink`` with its STL. Warns of open meshes and exceeded deflections."""
    exceeded, not_closed = [], []
    for number, part in enumerate(design.parts, 1):
        part.file = f"parts/{number:03}.stl"
        part.mesh = mesh(part.shape, settings.deflection, settings.angle, part.name)
        if part.mesh.deflection > settings.deflection:
            exceeded.append(f"{part.name} ({part.mesh.deflection:g} mm)")
        part_closed = part.mesh.closed()
        if part.solids and not part_closed:
            not_closed.append(part.name)
        sink(part, part.mesh.stl(), part_closed)
    if exceeded:
        notes.warn("deflection-exceeded", f"{settings.deflection:g} mm asked, more measured: {listed(exceeded)}")
    if not_closed:
        notes.warn("not-closed", f"the mesh has holes, pairs can become undecided: {listed(not_closed)}")
    size = _size(design)
    if not SMALLEST <= size <= LARGEST:
        notes.warn("unit-doubtful", f"the assembly measures {size:g} mm; check the unit of the export")


def _size(design: Design) -> float:
    """Returns the longest side of the assembly's box (mm)."""
    boxes = {p.name: (p.mesh.corners.reshape(-1, 3).min(0), p.mesh.corners.reshape(-1, 3).max(0)) for p in design.parts}
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for instance in design.instances:
        least, most = boxes[instance.part.name]
        matrix = np.array(instance.matrix)
        centre, half = (least + most) / 2, (most - least) / 2
        centre, half = matrix[:, :3] @ centre + matrix[:, 3], np.abs(matrix[:, :3]) @ half
        low, high = np.minimum(low, centre - half), np.maximum(high, centre + half)
    return float((high - low).max())


@dataclass
class Origin:
    """Source of a design: file name, hash, format, program, and the key of the import."""

    path: str | None
    blake3: str | None
    format: str
    generator: str | None
    key: str | None


def write(folder: Path, design: Design, origin: Origin, settings: Settings, notes: Notes, force: bool = False) -> dict:
    """Writes ``assembly.json``, ``parts/NNN.stl`` and ``import.json``; returns the content of the latter.

    The folder must be empty, or hold an earlier import. The files appear after all of them are complete.
    """
    from blake3 import blake3

    folder = Path(folder)
    refuse_foreign(folder, force)
    folder.parent.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        (stage / "parts").mkdir()
        hashes, closed = {}, {}

        def put(name: str, data: bytes) -> None:
            (stage / name).write_bytes(data)
            hashes[name] = blake3(data).hexdigest()

        def sink(part: Part, data: bytes, part_closed: bool) -> None:
            put(part.file, data)
            closed[part.name] = part_closed

        with kernel.quiet():
            mesh_parts(design, settings, notes, sink)
        put("assembly.json", assembly_json(design).encode())
        record = _record(design, origin, settings, closed, hashes)
        (stage / "import.json").write_bytes(_lines(record).encode())
        _move(stage, folder)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return record


def refuse_foreign(folder: Path, force: bool) -> None:
    """Refuses a folder with files of somebody else."""
    if folder.exists() and not folder.is_dir():
        raise Refused("not-empty", f"{folder} is a file; name a folder")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "import.json").is_file() and not force:
        raise Refused("not-empty", f"{folder} holds other files; name an empty folder, or use --force")


def _move(stage: Path, folder: Path) -> None:
    """Moves a complete import into its folder."""
    (folder / "parts").mkdir(parents=True, exist_ok=True)
    # Without this file, the folder is no import until the last step.
    (folder / "import.json").unlink(missing_ok=True)
    for old in (folder / "parts").glob("*.stl"):
        old.unlink()
    for new in sorted((stage / "parts").iterdir()):
        new.replace(folder / "parts" / new.name)
    for name in ("assembly.json", "import.json"):
        (stage / name).replace(folder / name)


def assembly_json(design: Design, **more) -> str:
    """Returns the assembly file: one line a part, one line an instance."""
    return _lines(
        {
            "version": 1,
            "name": design.name,
            "units": "mm",
            **more,
            "parts": {p.name: {"mesh": p.file, "deflection": p.mesh.deflection} for p in design.parts},
            "instances": [
                {"id": i.id, "part": i.part.name, "placement": {"matrix": i.matrix}} for i in design.instances
            ],
        }
    )


def _record(design: Design, origin: Origin, settings: Settings, closed: dict, hashes: dict) -> dict:
    return {
        "version": 1,
        "source": {
            "path": origin.path,
            "blake3": origin.blake3,
            "format": origin.format,
            "generator": origin.generator,
        },
        "settings": {
            "protocol": 1,
            "deflection": settings.deflection,
            "angle": settings.angle,
            "open_shells": settings.open_shells,
        },
        "tools": [
            {"name": "interfere-cad", "version": __version__},
            {"name": "opencascade", "version": kernel.version()},
        ],
        "key": origin.key,
        "parts": {
            p.name: {
                "names": p.names,
                "colour": p.colour,
                "deflection": p.mesh.deflection,
                "asked": p.mesh.asked,
                "solids": p.solids,
                "triangles": len(p.mesh.corners),
                "closed": closed[p.name],
            }
            for p in design.parts
        },
        "left_out": [
            {"what": what, "count": len(where), "where": list(dict.fromkeys(where))}
            for what, where in sorted(design.left_out.items())
        ],
        "files": dict(sorted(hashes.items())),
    }


def _lines(value: dict) -> str:
    """Writes JSON with one line for each element of the lists and objects at the top."""
    out = ["{"]
    for n, (key, entry) in enumerate(value.items()):
        end = "," if n + 1 < len(value) else ""
        if isinstance(entry, dict) and entry:
            out.append(f"  {_json(key)}: {{")
            out.append(",\n".join(f"    {_json(k)}: {_json(v)}" for k, v in entry.items()))
            out.append(f"  }}{end}")
        elif isinstance(entry, list) and entry:
            out.append(f"  {_json(key)}: [")
            out.append(",\n".join(f"    {_json(v)}" for v in entry))
            out.append(f"  ]{end}")
        else:
            out.append(f"  {_json(key)}: {_json(entry)}{end}")
    return "\n".join([*out, "}", ""])


def _json(value) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
