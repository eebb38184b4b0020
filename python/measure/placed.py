"""Reads placements and points of a generated folder, for the scripts beside this file."""

import re
from pathlib import Path

import numpy as np

MM = {"um": 0.001, "mm": 1.0, "cm": 10.0, "m": 1000.0, "inch": 25.4, "ft": 304.8}


def matrix(instance: dict) -> np.ndarray:
    """Returns the placement of an instance (mm)."""
    placement = instance.get("placement", {})
    result = np.array(placement.get("matrix", np.eye(4)), float)
    if "translation" in placement:
        result[:3, 3] = placement["translation"]
    return result


def points(path: Path) -> np.ndarray:
    """Returns the points of a generated STL or PLY file."""
    data = path.read_bytes()
    if path.suffix == ".stl":
        row = np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
        return np.frombuffer(data, row, offset=84)["v"].reshape(-1, 3).astype(float)
    head, _, body = data.partition(b"end_header\n")
    count = int(re.search(rb"element vertex (\d+)", head).group(1))
    return np.frombuffer(body, "<f8", 3 * count).reshape(-1, 3)


def cleaned(name: str) -> str:
    """Returns a name as the import writes it."""
    return "".join(c if c.isalnum() or c in "_+-" else "_" for c in name.strip()[:80])
