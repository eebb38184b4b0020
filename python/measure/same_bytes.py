"""Compares the folders that repeated imports of the same files write, byte for byte.

Usage: same_bytes.py INTERFERE EMULATOR ROOT…; EMULATOR is a command like "qemu-x86_64 -cpu Nehalem", or "" for none.
Takes the glTF, GLB, 3MF, URDF, SDF, MJCF and STEP files of the roots: files, or folders. Imports each of them twice,
with 1 and 16 threads, under the emulator, and from a second export: a copy in another folder with other dates,
comments, white space and compression. The second export may differ in import.json, which holds the hash of the file.
Prints each file with a difference, then the numbers of files, of folders, of refusals, and of differences.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ENDINGS = {".gltf", ".glb", ".3mf", ".urdf", ".sdf", ".xml", ".step", ".stp"}


def export_again(file: Path) -> None:
    """Changes a file as a later export of the same design does."""
    data, ending = file.read_bytes(), file.suffix.lower()
    if ending == ".3mf":
        with zipfile.ZipFile(file) as archive:
            entries = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for name, content in reversed(entries):
                archive.writestr(zipfile.ZipInfo(name, (2031, 5, 6, 7, 8, 10)), content)
    elif ending == ".glb" and data[4:8] == b"\2\0\0\0":
        length = int.from_bytes(data[12:16], "little")
        sizes = (len(data) + 8).to_bytes(4, "little"), (length + 8).to_bytes(4, "little")
        file.write_bytes(data[:8] + sizes[0] + sizes[1] + data[16 : 20 + length] + b" " * 8 + data[20 + length :])
    elif ending in {".step", ".stp"}:
        file.write_bytes(re.sub(rb"'\d{4}-\d\d-\d\dT[^']*'", b"'2031-05-06T07:08:09'", data, count=1))
    elif ending == ".gltf":
        file.write_bytes(data + b"\n\n")
    elif ending != ".glb":
        file.write_bytes(data.rstrip() + b"\n<!-- exported again -->\n")


def run(command: list[str], file: Path, threads: int | None) -> dict[str, str]:
    """Returns the hashes of the files of the folder of an import; of the message if the import refuses the file."""
    with tempfile.TemporaryDirectory() as scratch:
        own = {"RAYON_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)} if threads else {}
        out = Path(scratch) / "out"
        ran = subprocess.run(
            [*command, "import", file.name, "-o", str(out), "--allow-outside"],
            cwd=file.parent, env={**os.environ, **own}, capture_output=True, text=True, check=False,
        )
        if ran.returncode:
            return {"refused": ran.stderr}
        found = (p for p in sorted(out.rglob("*")) if p.is_file())
        return {str(p.relative_to(out)): hashlib.sha256(p.read_bytes()).hexdigest() for p in found}


def main(program: str, emulator: str, roots: list[str]) -> None:
    program = str(Path(program).resolve())
    scratch = Path(tempfile.mkdtemp())
    copies = []
    for name in ("first", "second"):
        for k, root in enumerate(roots):
            copy = scratch / name / str(k) / Path(root).name
            copy.parent.mkdir(parents=True)
            shutil.copytree(root, copy) if Path(root).is_dir() else shutil.copy(root, copy)
        copies.append(scratch / name)
    files = sorted(p for p in copies[0].rglob("*") if p.suffix.lower() in ENDINGS and p.is_file())
    for file in files:
        later = copies[1] / file.relative_to(copies[0])
        later.chmod(0o644)
        later.parent.chmod(0o755)
        export_again(later)
    folders = refused = different = 0
    for file in files:
        first = run([program], file, None)
        same = {"again": run([program], file, None)}
        same |= {f"{n} threads": run([program], file, n) for n in (1, 16)}
        if emulator:
            same["emulator"] = run([*emulator.split(), program], file, None)
        wrong = [name for name, found in same.items() if found != first]
        if "refused" in first:
            refused += 1
        else:
            folders += 1
            later = run([program], copies[1] / file.relative_to(copies[0]), None)
            if {**later, "import.json": ""} != {**first, "import.json": ""}:
                wrong.append("second export")
        if wrong:
            different += 1
            print(f"{file.relative_to(copies[0])}: {', '.join(wrong)}", flush=True)
    shutil.rmtree(scratch, ignore_errors=True)
    print(f"{len(files)} files, {folders} folders, {refused} refused: {different} with a difference")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
