"""The measured deflection against closed formulas and denser samples."""

import math

import numpy as np
import pytest

pytest.importorskip("OCP")

import solids

from interfere_cad.mesh import mesh


def worst_distance(corners, distance):
    """Largest distance of 45 points a triangle from a surface; `distance` takes n×3 points (mm)."""
    worst, steps = 0.0, 8
    for i in range(steps + 1):
        for j in range(steps + 1 - i):
            weights = np.array([i, j, steps - i - j]) / steps
            worst = max(worst, float(np.abs(distance(np.tensordot(weights, corners.astype(float), (0, 1)))).max()))
    return worst


def from_axis(points):
    return np.hypot(points[:, 0], points[:, 1])


CASES = {
    "cylinder": (solids.cylinder, None),
    "sphere": (solids.sphere, lambda p: np.linalg.norm(p, axis=1) - 7),
    "torus": (solids.torus, lambda p: np.hypot(from_axis(p) - 10, p[:, 2]) - 2),
    "tip": (solids.tip, None),
}


@pytest.mark.parametrize("name", ["sphere", "torus"])
@pytest.mark.parametrize(("linear", "angular"), [(0.05, 0.3), (0.2, 1.0), (0.01, 0.5)])
def test_no_point_of_a_mesh_is_farther_from_its_surface_than_the_deflection(name, linear, angular):
    make, distance = CASES[name]
    found = mesh(make(), linear, angular, name)
    worst = worst_distance(found.corners, distance)
    assert worst <= found.deflection
    assert found.deflection <= 1.25 * worst
    assert found.deflection <= linear
    assert found.closed()


@pytest.mark.parametrize(("radius", "height"), [(5.0, 20.0), (0.4, 100.0)])
def test_the_deflection_of_a_cylinder_is_the_sagitta_of_its_facets(radius, height):
    found = mesh(solids.cylinder(radius, height), 0.05, 0.3, "cylinder")
    rim = found.corners.reshape(-1, 3)
    rim = np.unique(rim[rim[:, 2] == 0], axis=0)
    angles = np.sort(np.arctan2(rim[:, 1], rim[:, 0]))
    step = np.diff(angles, append=angles[0] + 2 * math.pi).max()
    assert found.deflection == pytest.approx(radius * (1 - math.cos(step / 2)), rel=0.02)


def test_the_free_parameter_at_a_tip_counts_for_nothing():
    # The mean of the parameters of the tip and of a rim edge lies on another side of the cone.
    found = mesh(solids.tip(), 0.05, 0.3, "tip")
    assert found.asked == 0.05
    assert found.deflection < 0.06


def test_a_box_has_the_rounding_of_its_coordinates_as_deflection():
    found = mesh(solids.box(), 0.05, 0.3, "box")
    assert len(found.corners) == 12
    assert 0 < found.deflection < 1e-5


def test_a_mesh_with_a_face_less_is_open():
    found = mesh(solids.box(), 0.05, 0.3, "box")
    found.corners = found.corners[:-1]
    assert not found.closed()


def test_an_earlier_coarse_triangulation_has_no_effect():
    from OCP.BRepMesh import BRepMesh_IncrementalMesh

    shape = solids.sphere()
    BRepMesh_IncrementalMesh(shape, 2.0, False, 1.0, False)
    assert mesh(shape, 0.05, 0.3, "sphere").stl() == mesh(solids.sphere(), 0.05, 0.3, "sphere").stl()
