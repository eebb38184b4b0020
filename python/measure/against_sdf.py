"""Compares the placed geometries of imported SDFormat files with a forward kinematics of its own.

Usage: against_sdf.py INTERFERE FILE…, or against_sdf.py --truth FILE; needs numpy and scipy. Every pose of the file is an
edge between two frames; a walk from the world over all edges places them. Joint values move everything above a joint by
the product of exponentials. Compares the placement of each geometry with joints at zero, and at random values. Prints the
number of geometries and the greatest difference (m). --truth prints a list for each geometry: its link, the centre of a
primitive, the least and the greatest corner of the box about it (m).
"""

import json
import math
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from placed import cleaned, matrix, points

TYPES = ("revolute", "continuous", "prismatic", "screw")


def pose(element) -> np.ndarray:
    """Returns the matrix of a `pose` element (m)."""
    result = np.eye(4)
    if element is None or not (element.text or "").strip():
        return result
    numbers = [float(x) for x in element.text.split()]
    if element.get("rotation_format") == "quat_xyzw":
        turn = Rotation.from_quat(numbers[3:])
    else:
        turn = Rotation.from_euler("xyz", numbers[3:], degrees=element.get("degrees") == "true")
    result[:3, :3], result[:3, 3] = turn.as_matrix(), numbers[:3]
    return result


class Description:
    """The frames of a file as a graph: names are paths of names."""

    def __init__(self, file: Path):
        self.root, self.edges, self.links, self.joints = file, [], {}, {}
        document = ET.parse(file).getroot()
        top = document.find("world") if document.find("world") is not None else document
        self.single = len(top.findall("model")) + len(top.findall("include")) == 1
        self.fill(top, (), file.parent, document.get("version"))
        self.frames = {(): np.eye(4)}
        waiting = [()]
        while waiting:
            at = waiting.pop()
            for a, b, map_ in self.edges:
                for known, new, step in ((a, b, map_), (b, a, np.linalg.inv(map_))):
                    if known == at and new not in self.frames:
                        self.frames[new] = self.frames[known] @ step
                        waiting.append(new)

    def named(self, scope: tuple, name: str) -> tuple:
        """Returns the path of a name in a scope."""
        parts = [p for p in name.split("::") if p not in ("__model__", "world")]
        return (*scope, *parts)

    def edge(self, node: tuple, scope: tuple, element, otherwise: tuple) -> None:
        """Adds the pose of a node."""
        to = None if element is None else element.get("relative_to") or element.get("frame")
        self.edges.append((self.named(scope, to) if to else otherwise, node, pose(element)))

    def fill(self, element, scope: tuple, folder: Path, version: str) -> None:
        """Adds the frames of a world or a model."""
        for child in element:
            name = (*scope, child.get("name") or "")
            if child.tag == "link":
                self.edge(name, scope, child.find("pose"), scope)
                self.links[name] = (child, folder)
            elif child.tag == "joint":
                self.edge(name, scope, child.find("pose"), self.named(scope, child.findtext("child").strip()))
                self.joints[name] = (child, scope, version)
            elif child.tag == "frame":
                to = child.get("attached_to")
                self.edge(name, scope, child.find("pose"), self.named(scope, to) if to else scope)
            elif child.tag == "model":
                self.model(child, name, scope, child.find("pose"), child.get("placement_frame"), folder, version)
            elif child.tag == "include":
                uri = child.findtext("uri").strip()
                place = self.root.parent / "models" / uri[8:] if uri.startswith("model://") else folder / uri
                config = place / "model.config"
                file = place / "model.sdf"
                if config.exists():
                    found = ET.parse(config).getroot().findall("sdf")
                    file = place / max(found, key=lambda e: [int(n) for n in e.get("version").split(".")]).text
                document = ET.parse(file).getroot()
                model = document.find("model")
                name = (*scope, (child.findtext("name") or model.get("name")).strip())
                own = child.find("pose")
                frame = child.findtext("placement_frame") or (model.get("placement_frame") if own is None else None)
                own = model.find("pose") if own is None else own
                self.model(model, name, scope, own, frame, file.parent, document.get("version"))

    def model(self, element, name: tuple, scope: tuple, own, frame, folder: Path, version: str) -> None:
        """Adds a model: its pose is that of its placement frame."""
        self.edge(self.named(name, frame) if frame else name, scope, own, scope)
        self.fill(element, name, folder, version)

    def link_of(self, name: tuple):
        """Returns the link that a frame is attached to."""
        while name and name not in self.links:
            scope, element = name[:-1], self.element(name)
            if element.tag == "frame":
                to = element.get("attached_to")
                name = self.named(scope, to) if to else scope
            else:
                name = (*name, element.find("link").get("name"))
        return name

    def element(self, name: tuple):
        """Returns the element of a frame or a model."""
        at = ET.parse(self.root).getroot()
        at, folder = (at.find("world") if at.find("world") is not None else at), self.root.parent
        for level in name:
            found = [c for c in at if c.get("name") == level]
            if not found:
                include = [i for i in at.findall("include") if i.findtext("name") == level][0]
                folder = self.root.parent / "models" / include.findtext("uri").split("/")[-1]
                found = [e for f in folder.glob("*.sdf") for e in ET.parse(f).getroot().findall("model")]
            at = found[0]
        return at

    def axis(self, name: tuple) -> np.ndarray:
        """Returns the unit axis of a joint in the world."""
        joint, scope, version = self.joints[name]
        xyz = joint.find("axis/xyz")
        frame = xyz.get("expressed_in")
        if frame is None and [int(n) for n in version.split(".")] < [1, 5]:
            frame = "__model__"
        turn = self.frames[self.named(scope, frame) if frame else name][:3, :3]
        axis = turn @ [float(x) for x in xyz.text.split()]
        return axis / np.linalg.norm(axis)

    def moved(self, values: dict) -> dict:
        """Returns the world pose of each link for joint values (rad, m)."""
        above, motions = {}, {}
        for name, (joint, scope, _) in self.joints.items():
            ends = [self.link_of(self.named(scope, joint.findtext(k).strip())) for k in ("parent", "child")]
            if ends[1] in above:
                continue
            above[ends[1]] = (ends[0], name)
            motions[name] = np.eye(4)
            if joint.get("type") in TYPES and values.get(name):
                axis, at, value = self.axis(name), self.frames[name][:3, 3], values[name]
                if joint.get("type") == "prismatic":
                    motions[name][:3, 3] = axis * value
                    continue
                turn = Rotation.from_rotvec(axis * value).as_matrix()
                motions[name][:3, :3], motions[name][:3, 3] = turn, at - turn @ at
                if joint.get("type") == "screw":
                    motions[name][:3, 3] += axis * float(joint.findtext("screw_thread_pitch")) * value / math.tau
        result = {}
        for link in self.links:
            result[link], at = self.frames[link], link
            while at in above:
                at, name = above[at]
                result[link] = motions[name] @ result[link]
        return result

    def geometries(self, values: dict):
        """Yields the id, the element, the folder and the pose of each geometry that the import takes."""
        placed = self.moved(values)
        for link, (element, folder) in self.links.items():
            kept = [c for c in element.findall("collision") if c.find("geometry/plane") is None]
            for shape in kept or element.findall("visual"):
                own = shape.find("pose")
                to = None if own is None else own.get("relative_to")
                above = placed[link]
                if to:
                    frame = self.frames[self.named(link[:-1], to)]
                    above = placed[link] @ np.linalg.inv(self.frames[link]) @ frame
                path = link[1:] if self.single else link
                yield ".".join(map(cleaned, (*path, shape.get("name")))), shape, folder, above @ pose(own)


def read(program: str, file: Path, values: dict) -> tuple[dict, Path]:
    """Imports a file; returns its assembly and the folder."""
    folder = Path(tempfile.mkdtemp()) / "design"
    joints = [f"--joint={'::'.join(name)}={value!r}" for name, value in values.items()]
    command = [program, "import", str(file), "-o", str(folder), "--allow-outside", *joints]
    subprocess.run(command, check=True, capture_output=True)
    return json.loads((folder / "assembly.json").read_text()), folder


def truth(file: str) -> None:
    """Prints the boxes of the geometries, joints at zero."""
    found = []
    for id, shape, folder, place in Description(Path(file)).geometries({}):
        turn, at, u = place[:3, :3], place[:3, 3], abs(place[:3, :3])
        geometry = shape.find("geometry")[0]
        number = lambda key: np.array([float(x) for x in geometry.findtext(key).split()])
        across = lambda radius: radius * np.sqrt(np.maximum(0, 1 - turn[:, 2] ** 2))
        centre = list(at)
        if geometry.tag == "mesh":
            lines = (folder / geometry.findtext("uri")).read_text().splitlines()
            own = np.array([[float(x) for x in line.split()[1:4]] for line in lines if line.startswith("v ")])
            there = own * number("scale") @ turn.T + at
            centre, low, high = None, there.min(0), there.max(0)
        elif geometry.tag == "cone":
            tip, base = at + turn[:, 2] * number("length") / 2, at - turn[:, 2] * number("length") / 2
            side = across(number("radius")[0])
            low, high = np.minimum(tip, base - side), np.maximum(tip, base + side)
        else:
            half = {
                "box": lambda: u @ number("size") / 2,
                "sphere": lambda: np.full(3, number("radius")[0]),
                "capsule": lambda: u[:, 2] * number("length") / 2 + number("radius"),
                "cylinder": lambda: u[:, 2] * number("length") / 2 + across(number("radius")[0]),
                "ellipsoid": lambda: np.sqrt((turn**2) @ (number("radii") ** 2)),
            }[geometry.tag]()
            low, high = at - half, at + half
        found.append([id, centre, list(low), list(high)])
    print("[" + ",\n ".join(map(json.dumps, found)) + "]")


def main(program: str, files: list[str]) -> None:
    count, worst = 0, 0.0
    for file in map(Path, files):
        description, rng = Description(file), random.Random(1)
        follows = {n for n, (j, _, _) in description.joints.items() if j.find("axis/mimic") is not None}
        free = [n for n, (j, _, _) in description.joints.items() if j.get("type") in TYPES and n not in follows]
        for values in ({}, *({n: rng.uniform(0, 0.02) for n in free} for _ in range(5))):
            assembly, _ = read(program, file, values)
            for name in follows:
                joint, scope, _ = description.joints[name]
                mimic = joint.find("axis/mimic")
                number = lambda key, other: float(mimic.findtext(key) or other)
                leader = values.get(description.named(scope, mimic.get("joint")), 0.0)
                values[name] = number("multiplier", 1) * (leader - number("reference", 0)) + number("offset", 0)
            placed = {i["id"]: matrix(i) for i in assembly["instances"]}
            expected = list(description.geometries(values))
            assert len(expected) == len(placed), (len(expected), len(placed))
            for id, shape, _, pose_ in expected:
                m = placed[id].copy()
                scale = shape.findtext("geometry/mesh/scale")
                signs = [math.copysign(1, float(x)) for x in scale.split()] if scale else [1, 1, 1]
                far = max(abs(m[:3, 3] / 1000 - pose_[:3, 3]).max(), abs(m[:3, :3] - pose_[:3, :3] * signs).max())
                count, worst = count + 1, max(worst, far)
                if far > 1e-6:
                    print(f"  {id}: {far:.3g} m", file=sys.stderr)
    print(f"{len(files)} files, {count} placements: at most {worst:.2g} m apart")


if __name__ == "__main__":
    truth(sys.argv[2]) if sys.argv[1] == "--truth" else main(sys.argv[1], sys.argv[2:])
