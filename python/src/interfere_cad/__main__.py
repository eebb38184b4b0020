"""The command `interfere-cad`: protocol 1 of docs/reference/import-protocol.md."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path

from . import __version__, kernel
from .errors import Notes, Refused, one_line
from .importing import PROTOCOL, import_file, key_of
from .settings import Settings


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns 0 after writing, 2 after a refusal."""
    options = _parser().parse_args(arguments)
    notes = Notes()
    try:
        return _run(options, notes)
    except Refused as refused:
        notes.print()
        print(f"error: {one_line(str(refused))}", file=sys.stderr)
    except kernel.KernelMissing as missing:
        print(f"error: importer-missing: {missing}", file=sys.stderr)
    except (OSError, MemoryError) as error:
        print(f"error: importer-failed: {type(error).__name__}: {one_line(str(error))}", file=sys.stderr)
    return 2


def _run(options: argparse.Namespace, notes: Notes) -> int:
    if options.protocol != PROTOCOL:
        raise Refused("unsupported", f"protocol {options.protocol}; interfere-cad {__version__} speaks {PROTOCOL}")
    if options.versions:
        versions = {"protocol": PROTOCOL, "interfere-cad": __version__, "opencascade": kernel.version()}
        print(json.dumps(versions))
        return 0
    settings = Settings(options.deflection, options.angle, options.open_shells)
    if options.input is None or (options.folder is None and not options.key):
        raise Refused("usage", "name INPUT and OUTDIR: interfere-cad design.step design")
    if options.key:
        from .source import read

        print(key_of(read(options.input).data, settings))
        return 0
    imported = import_file(options.input, options.folder, settings, notes, options.force)
    notes.print()
    print(summary(imported.record, imported.written))
    return 0


def summary(record: dict, written: bool) -> str:
    """Returns one line about an import."""
    parts = record["parts"].values()
    deepest = max((p["deflection"] for p in parts), default=0.0)
    words = [
        f"{len(parts)} parts",
        f"{sum(p['triangles'] for p in parts)} triangles",
        f"deflection at most {deepest:g} mm",
        *(f"{entry['count']} {entry['what']} left out" for entry in record["left_out"]),
    ]
    return ("" if written else "up to date: ") + ", ".join(words)


def _positive(text: str) -> float:
    value = float(text)
    if not (0 < value < math.inf):
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("interfere-cad", description="Writes an assembly folder from STEP, IGES or BREP.")
    parser.add_argument("--protocol", type=int, default=PROTOCOL, metavar="N", help="version of the protocol, 1")
    parser.add_argument("--deflection", type=_positive, default=0.05, metavar="MM", help="linear deflection (0.05)")
    parser.add_argument("--angle", type=_positive, default=0.3, metavar="RAD", help="angular deflection (0.3)")
    parser.add_argument("--open-shells", action="store_true", help="take surfaces without a volume as parts")
    parser.add_argument("--force", action="store_true", help="write into a folder with other files")
    parser.add_argument("--key", action="store_true", help="print the key of the import, write nothing")
    parser.add_argument("--versions", action="store_true", help="print the versions as JSON, write nothing")
    parser.add_argument("input", type=Path, nargs="?", metavar="INPUT")
    parser.add_argument("folder", type=Path, nargs="?", metavar="OUTDIR")
    return parser


if __name__ == "__main__":
    sys.exit(main())
