"""The input file: its format by content, and facts in the text of a STEP file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .errors import Refused

STRING = rb"'((?:[^']|'')*)'"
DOCUMENT_FILE = re.compile(rb"\bDOCUMENT_FILE\s*\(\s*" + STRING)
# Names of other files, which the kernel would open: from the entity to the first text.
OTHER_FILE = re.compile(rb"(\b(?:DOCUMENT_FILE|APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT)\s*\(\s*)" + STRING)
CAD_FILE = re.compile(r"\.(stp|step|stpz|p21|igs|iges|x_t|x_b|sldprt|prt|catpart|ipt)$", re.IGNORECASE)
SOLID = re.compile(rb"\b(MANIFOLD_SOLID_BREP|FACETED_BREP|BREP_WITH_VOIDS)\s*\(")


@dataclass
class Source:
    """An input file in memory."""

    path: Path
    data: bytes
    format: str

    def generator(self) -> str | None:
        """Returns the program that wrote the file, as the header of a STEP file names it."""
        if self.format != "step":
            return None
        header = self.data[: self.data.find(b"ENDSEC")]
        call = re.search(rb"\bFILE_NAME\s*\(", header)
        if not call:
            return None
        # Name, time, authors, organisations, preprocessor, originating system, authorisation.
        rest = re.sub(rb"/\*.*?\*/", b"", header[call.end() :], flags=re.DOTALL)
        fields = [_text(s) for s in re.findall(STRING, re.sub(rb"\([^()]*\)", b"''", rest))]
        for index in (5, 4):
            if len(fields) > index and fields[index].strip():
                return fields[index].strip()
        return None

    def external_files(self) -> list[str]:
        """Returns the CAD files that a STEP file asks for, in order, each once."""
        if self.format != "step":
            return []
        names = [_text(s) for s in DOCUMENT_FILE.findall(self.data)]
        return list(dict.fromkeys(n for n in names if CAD_FILE.search(n)))

    def alone(self) -> bytes | None:
        """Returns a STEP file without the names of other files; `None` for a file without such names.

        The kernel opens the files that a STEP file names, wherever they are. An import follows from one file alone.
        """
        if self.format != "step":
            return None
        text, count = OTHER_FILE.subn(rb"\1''", self.data)
        return text if count else None

    def stated_solids(self) -> int:
        """Returns the number of solids in the text of a STEP file."""
        return len(SOLID.findall(self.data)) if self.format == "step" else 0


def _text(raw: bytes) -> str:
    text = raw.replace(b"''", b"'").decode("utf-8", "replace")
    text = re.sub(
        r"\\X2\\((?:[0-9A-Fa-f]{4})*)\\X0\\",
        lambda m: bytes.fromhex(m.group(1)).decode("utf-16-be", "replace"),
        text,
    )
    return " ".join(text.split())


def read(path: Path) -> Source:
    """Reads a file and recognises its format by its content: ``step``, ``iges``, ``brep`` or ``binary-brep``."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refused("unreadable", f"{path.name}: {error.strerror}") from error
    return Source(path, data, _format(path.name, data))


def _format(name: str, data: bytes) -> str:
    start = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"ISO-10303-21"):
        return "step"
    if b"CASCADE Topology V" in start[:200] or start.startswith(b"DBRep_DrawableShape"):
        return "brep"
    if start.startswith(b"Open CASCADE Topology V") or b"Open CASCADE Topology V" in start[:200]:
        return "binary-brep"
    first = re.split(rb"[\r\n]", data[:200], maxsplit=1)[0]
    if len(first) >= 73 and first[72:73] == b"S":
        return "iges"
    if start.startswith(b"version https://git-lfs.github.com/spec/"):
        raise Refused("unsupported", f"{name} is a Git LFS pointer; fetch the file with `git lfs pull`")
    if start.startswith(b"\x1f\x8b") or start.startswith(b"PK\x03\x04"):
        raise Refused("unsupported", f"{name} is compressed; unpack it first")
    raise Refused("unsupported", f"{name} is neither STEP nor IGES nor BREP; export STEP from the CAD program")
