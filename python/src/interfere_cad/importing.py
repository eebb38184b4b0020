"""Imports a CAD file into an assembly folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from . import __version__, kernel, source
from .errors import Notes

PROTOCOL = 1


@dataclass
class Imported:
    """Result of an import."""

    # Content of `import.json`.
    record: dict
    # False if the folder was up to date already.
    written: bool


def key_of(data: bytes, settings) -> str:
    """Returns the key of an import: a hash of everything that its bytes follow from. Loads no kernel."""
    from blake3 import blake3

    rest = [
        f"protocol={PROTOCOL}",
        f"deflection={settings.deflection!r}",
        f"angle={settings.angle!r}",
        f"open-shells={int(settings.open_shells)}",
        f"interfere-cad={__version__}",
        f"opencascade={kernel.version()}",
    ]
    return blake3(data + b"\0" + "\0".join(rest).encode()).hexdigest()


def up_to_date(folder: Path, key: str) -> dict | None:
    """Returns `import.json` of a folder with this key and with untouched files, else `None`."""
    from blake3 import blake3

    try:
        record = json.loads((folder / "import.json").read_text(encoding="utf-8"))
        if record["key"] != key:
            return None
        present = {f"parts/{p.name}" for p in (folder / "parts").iterdir()} | {"assembly.json"}
        if present != set(record["files"]):
            return None
        for name, digest in record["files"].items():
            if blake3((folder / name).read_bytes()).hexdigest() != digest:
                return None
        return record
    except (OSError, ValueError, KeyError, TypeError):
        return None


def import_file(path: Path, folder: Path, settings, notes: Notes, force: bool = False) -> Imported:
    """Imports a file; an equal import is up to date. Raises `Refused`."""
    from blake3 import blake3

    found = source.read(path)
    key = key_of(found.data, settings)
    record = up_to_date(folder, key)
    if record is not None:
        return Imported(record, False)
    # numpy and the kernel load only for an import.
    from . import folder as folders
    from . import tree

    folders.refuse_foreign(folder, force)
    asked = found.external_files()
    read = tree.read(found)
    design = folders.design_of(read, path.stem, settings, notes, asked)
    _warn_lost(found, design, notes)
    origin = folders.Origin(path.name, blake3(found.data).hexdigest(), found.format, found.generator(), key)
    return Imported(folders.write(folder, design, origin, settings, notes, force), True)


def _warn_lost(found, design, notes: Notes) -> None:
    """Warns of solids in the text of a STEP file beyond those that the kernel gives."""
    stated, got = found.stated_solids(), sum(p.solids for p in design.parts)
    if got < stated:
        notes.warn("solids-lost", f"the file states {stated} solids, the kernel gives {got}; compare with the CAD program")
