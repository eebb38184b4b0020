"""Fixtures: files made by the kernel, the program `interfere`, and the optional folder of real files."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items):
    """Skips the tests that need the kernel where the module `OCP` is absent."""
    import importlib.util

    if importlib.util.find_spec("OCP") is None:
        for item in items:
            if "no_kernel" not in item.keywords:
                item.add_marker(pytest.mark.skip(reason="the OpenCASCADE module OCP is absent"))


def pytest_configure(config):
    config.addinivalue_line("markers", "no_kernel: runs without the module OCP")


@pytest.fixture
def program():
    """Path of `interfere`; skips without it."""
    found = os.environ.get("INTERFERE") or shutil.which("interfere")
    if not found:
        pytest.skip("the program `interfere` is absent: set INTERFERE")
    return found


@pytest.fixture
def shared():
    """Folder of real files; skips without it."""
    for folder in (os.environ.get("INTERFERE_SHARED"), ROOT.parent / "shared"):
        if folder and (Path(folder) / "inputs/step").is_dir():
            return Path(folder)
    pytest.skip("the optional folder shared/inputs is absent")


def run(*arguments):
    """Runs `interfere-cad` in a process of its own."""
    command = [sys.executable, "-m", "interfere_cad", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def bytes_of(folder):
    """Returns the content of all files of a folder, by their paths."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
