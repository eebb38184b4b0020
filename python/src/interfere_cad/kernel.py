"""Differences of OpenCASCADE 7.9 and 8.0 in the Python module ``OCP``, and the version of the kernel.

``cadquery-ocp`` and ``cadquery-ocp-novtk`` both own the module ``OCP``. CadQuery needs kernel 7.9, build123d 0.13 needs
kernel 8.0. This module takes the installed one.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import re
import tempfile

PACKAGES = ("cadquery-ocp", "cadquery-ocp-novtk")


class KernelMissing(Exception):
    """The module ``OCP`` is absent."""


def version() -> str:
    """Returns the version of OpenCASCADE, such as ``7.9.3``, without loading the kernel.

    The three first numbers of the package are those of the kernel. Two packages with one kernel write the same bytes.
    """
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return _three_numbers(importlib.metadata.version(name))
    try:
        import OCP
    except ImportError as error:
        raise KernelMissing("the OpenCASCADE module OCP is missing: pipx install './python[occt]' in the sources of interfere") from error
    return _three_numbers(str(getattr(OCP, "__version__", "0.0.0")))


def _three_numbers(text: str) -> str:
    return ".".join(re.findall(r"\d+", text)[:3])


@contextlib.contextmanager
def quiet():
    """Sends what the kernel prints to stdout and stderr into a file, and yields a function that returns its text."""
    import sys

    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryFile() as log:
        saved = [os.dup(1), os.dup(2)]
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)

        def text() -> str:
            log.seek(0)
            return log.read().decode("utf-8", "replace")

        try:
            yield text
        finally:
            os.dup2(saved[0], 1)
            os.dup2(saved[1], 2)
            for descriptor in saved:
                os.close(descriptor)


def label_sequence():
    """Returns an empty sequence of labels."""
    from OCP import TDF

    if hasattr(TDF, "TDF_LabelSequence"):
        return TDF.TDF_LabelSequence()
    from OCP.collections import Sequence_TDF_Label

    return Sequence_TDF_Label()


def labels(fill) -> list:
    """Calls ``fill`` with an empty sequence of labels, and returns the labels as a list."""
    sequence = label_sequence()
    fill(sequence)
    return [sequence.Value(i) for i in range(1, sequence.Length() + 1)]


def _cast(name: str):
    from OCP.TopoDS import TopoDS

    return getattr(TopoDS, f"{name}_s", None) or getattr(TopoDS, name)


def face(shape):
    """Returns the shape as a face."""
    return _cast("Face")(shape)


def edge(shape):
    """Returns the shape as an edge."""
    return _cast("Edge")(shape)


def sub_shapes(shape, kind: str, avoid: str | None = None):
    """Yields the sub-shapes of a kind (``SOLID``, ``SHELL``, ``FACE``, ``EDGE``), outside shapes of the kind ``avoid``.

    Each carries the location and orientation within ``shape``.
    """
    from OCP import TopAbs
    from OCP.TopExp import TopExp_Explorer

    kinds = [getattr(TopAbs.TopAbs_ShapeEnum, f"TopAbs_{k}") for k in (kind, avoid or "SHAPE")]
    explorer = TopExp_Explorer(shape, *kinds)
    while explorer.More():
        yield explorer.Current()
        explorer.Next()


def is_reversed(shape) -> bool:
    """Returns true for the orientation ``REVERSED``."""
    from OCP.TopAbs import TopAbs_Orientation

    return shape.Orientation() == TopAbs_Orientation.TopAbs_REVERSED


def rows(transformation) -> list[list[float]]:
    """Returns the three rows of a ``gp_Trsf`` (column vectors, mm), without negative zeros."""
    return [[transformation.Value(r, c) + 0.0 for c in (1, 2, 3, 4)] for r in (1, 2, 3)]
