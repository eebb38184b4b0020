"""Facts in the text of input files."""

import pytest

from interfere_cad.errors import Refused
from interfere_cad.source import read

pytestmark = pytest.mark.no_kernel

STEP = r"""ISO-10303-21;
HEADER;
FILE_DESCRIPTION(('an ''assembly'''),'2;1');
FILE_NAME('x.stp','2020-01-01T00:00:00',('A (the author)'),('none'),'a library','Kon\X2\00FC\X0\ CAD','');
ENDSEC;
DATA;
#1=DOCUMENT_FILE('lid.stp','','',#2,'',$);
#3=DOCUMENT_FILE ( 'drawing.pdf','','',#2,'',$);
#4=DOCUMENT_FILE('lid.stp','','',#2,'',$);
#5=MANIFOLD_SOLID_BREP('',#6);
ENDSEC;
"""


def source(tmp_path, text):
    path = tmp_path / "x.stp"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path)


def test_a_step_header_names_the_program(tmp_path):
    assert source(tmp_path, STEP).generator() == "Konü CAD"


def test_a_header_without_a_program_names_the_library(tmp_path):
    assert source(tmp_path, STEP.replace(r"Kon\X2\00FC\X0\ CAD", " ")).generator() == "a library"


def test_external_files_with_geometry_are_listed_once(tmp_path):
    assert source(tmp_path, STEP).external_files() == ["lid.stp"]


def test_the_kernel_gets_no_names_of_other_files(tmp_path):
    assert b"lid.stp" not in source(tmp_path, STEP).alone()
    assert source(tmp_path, STEP.replace("DOCUMENT_FILE", "OTHER")).alone() is None


def test_solids_in_the_text_are_counted(tmp_path):
    assert source(tmp_path, STEP).stated_solids() == 1


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (b"solid x", "neither STEP nor IGES nor BREP"),
        (b"", "neither STEP nor IGES nor BREP"),
        (b"PK\x03\x04zip", "compressed"),
        (b"\x1f\x8bgzip", "compressed"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
    ],
)
def test_other_content_is_unsupported(tmp_path, data, hint):
    with pytest.raises(Refused, match=hint) as refused:
        source(tmp_path, data)
    assert refused.value.code == "unsupported"


def test_an_absent_file_is_unreadable(tmp_path):
    with pytest.raises(Refused) as refused:
        read(tmp_path / "absent.step")
    assert refused.value.code == "unreadable"
