"""Names of parts and ids of instances."""

import pytest

from interfere_cad.names import Unique, Words, clean
from interfere_cad.tree import Leaf, Level, Tree

pytestmark = pytest.mark.no_kernel


def words(*levels):
    leaves = [Leaf([Level("", "top", "0"), level], None, None, None) for level in levels]
    return Words(Tree(leaves, True, "top"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Lid 2:1", "Lid_2_1"), ("a/b.c", "a_b_c"), ("Größe_+-", "Größe_+-"), ("‮x\x07*", "_x__"), ("e\u0301", "é")],
)
def test_characters_outside_letters_digits_and_three_signs_become_underscores(text, expected):
    assert clean(text) == expected


@pytest.mark.parametrize("occurrence", ["NAUO17", "", "3", "*DIT36", "81dd3b4e-0e9d-11f0-9d2c-0242ac120002"])
def test_an_occurrence_without_a_name_of_its_own_has_the_name_of_its_product(occurrence):
    level = Level(occurrence, "screw", "0:1")
    assert words(level, Level("lid:1", "lid", "0:2")).level_name(level) == "screw"


def test_an_occurrence_name_comes_before_the_product_name():
    level = Level("screw:4", "screw", "0:1")
    assert words(level, Level("lid:1", "lid", "0:2")).level_name(level) == "screw:4"


def test_a_name_of_all_occurrences_counts_as_none():
    levels = [Level("Document", f"part {n}", f"0:{n}") for n in range(3)]
    assert [words(*levels).level_name(level) for level in levels] == ["part 0", "part 1", "part 2"]


def test_numbers_of_equal_names_skip_the_taken_ones():
    unique = Unique()
    assert [unique.take(n) for n in ("a", "a-2", "a", "a", "b")] == ["a", "a-2", "a-3", "a-4", "b"]
