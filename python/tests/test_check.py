"""`check` and `write_assembly` on shapes in memory."""

import json
import sys

import pytest

pytest.importorskip("OCP")

import solids

from interfere_cad import CheckError, Refused, check, write_assembly

BOXES = [("top/left", solids.box(), solids.at()), ("top/right", solids.box(), solids.at(x=9.75))]


def test_two_boxes_overlap(program):
    report = check(BOXES, program=program)
    (pair,) = report.fails
    assert (pair.a, pair.b, pair.status) == ("left", "right", "interference")
    assert pair.depth == pytest.approx(0.25, rel=0.01)
    assert pair.gap_bounds[0] <= -0.25 <= pair.gap_bounds[1]
    assert pair.volume == pytest.approx(0.25 * 20 * 30, rel=1e-3)
    assert report.pair("right", "left") is pair
    assert str(pair).startswith("left × right: interference, 0.25")


def test_a_rule_allows_the_depth(program):
    rules = [{"between": ["left", "right"], "allow_depth": 0.3, "reason": "press fit"}]
    report = check(BOXES, rules=rules, program=program)
    assert report.fails == [] and report.counts["allowed"] == 1
    assert report.pairs[0].reason == "press fit"


def test_the_tolerance_decides(program):
    assert check(BOXES, tolerance=0.3, program=program).fails == []
    assert len(check(BOXES, tolerance=0.2, program=program).fails) == 1


def test_a_wrong_rule_is_an_error_with_the_words_of_the_program(program):
    with pytest.raises(CheckError, match="unknown key `allow`"):
        check(BOXES, rules=[{"between": ["left", "right"], "allow": 1}], program=program)


def test_one_part_gives_no_verdict(program):
    with pytest.raises(CheckError, match="pair"):
        check(BOXES[:1], program=program)


def test_an_absent_program_is_an_error(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("INTERFERE", raising=False)
    with pytest.raises(CheckError, match="not on PATH"):
        check(BOXES)
    with pytest.raises(CheckError, match="/absent/interfere"):
        check(BOXES, program="/absent/interfere")


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for the program is a shell script")
@pytest.mark.parametrize("code", [1, 3, 101])
def test_a_program_that_contradicts_itself_or_crashes_gives_no_verdict(tmp_path, code):
    empty = {"pairs": [], "summary": {"counts": {}}, "warnings": []}
    stand_in = tmp_path / "interfere"
    stand_in.write_text(f"#!/bin/sh\necho '{json.dumps(empty)}'\nexit {code}\n")
    stand_in.chmod(0o755)
    with pytest.raises(CheckError):
        check(BOXES, program=str(stand_in))


def test_an_item_without_a_solid_is_refused(tmp_path):
    from OCP.TopoDS import TopoDS_Compound
    from OCP.BRep import BRep_Builder

    compound = TopoDS_Compound()
    BRep_Builder().MakeCompound(compound)
    with pytest.raises(Refused, match="nothing") as refused:
        write_assembly(tmp_path / "out", [*BOXES, ("top/nothing", compound, solids.at())])
    assert refused.value.code == "no-geometry" and not (tmp_path / "out").exists()


def test_items_share_the_level_above_and_their_shape(tmp_path):
    pin = solids.cylinder()
    items = [(f"top/{side}/pin", pin, solids.at(x)) for x, side in enumerate(["left", "left", "right"])]
    record = write_assembly(tmp_path / "out", [*items, ("top/lid", solids.box(), solids.at(), "#ff8000")])
    assembly = json.loads((tmp_path / "out/assembly.json").read_text())
    assert [i["id"] for i in assembly["instances"]] == ["left.pin", "left.pin-2", "right.pin", "lid"]
    assert list(assembly["parts"]) == ["pin", "lid"]
    assert record["parts"]["lid"]["colour"] == "#ff8000"
