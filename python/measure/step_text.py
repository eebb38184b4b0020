"""Counts the solids of a STEP file by its text alone: a second opinion on the counts of an import.

    step_text.py FILE...        prints: FILE parts instances

Reads the entities with regular expressions. A product definition holds the solids of its representations (joined by
relationships without a transformation, and by mapped items). An occurrence places the solids of a definition once more.
"""

import re
import sys
from pathlib import Path

SOLIDS = {"MANIFOLD_SOLID_BREP", "BREP_WITH_VOIDS", "FACETED_BREP"}
ENTITY = re.compile(rb"#(\d+)\s*=\s*(\w*)\s*\(((?:[^;']|'(?:[^']|'')*')*)\)\s*;")


def references(text):
    return [int(n) for n in re.findall(rb"#(\d+)", re.sub(rb"'(?:[^']|'')*'", b"''", text))]


def counts(data):
    """Returns the numbers of distinct and of placed solids."""
    entities = {int(n): (name.decode(), references(rest), rest) for n, name, rest in ENTITY.findall(data)}
    named = lambda *names: [(n, refs) for n, (name, refs, _) in entities.items() if name in names]
    shape_of = {n: refs[-1] for n, refs in named("PRODUCT_DEFINITION_SHAPE") if refs}
    linked = {}
    for name, refs, rest in entities.values():
        plain = name == "SHAPE_REPRESENTATION_RELATIONSHIP"
        joined = not name and b"SHAPE_REPRESENTATION_RELATIONSHIP" in rest and b"WITH_TRANSFORMATION" not in rest
        if (plain or joined) and len(refs) >= 2:
            linked.setdefault(refs[0], set()).add(refs[1])
            linked.setdefault(refs[1], set()).add(refs[0])
    representations = {}
    for _, refs in named("SHAPE_DEFINITION_REPRESENTATION"):
        definition = shape_of.get(refs[0])
        if definition is not None:
            representations.setdefault(definition, set()).add(refs[1])

    def solids_of(representation, seen):
        if representation in seen or representation not in entities:
            return []
        seen.add(representation)
        found = []
        for item in entities[representation][1]:
            kind = entities.get(item, ("", [], b""))[0]
            if kind in SOLIDS:
                found.append(item)
            elif kind == "MAPPED_ITEM":
                source = entities[item][1][0]
                found += [s for r in entities[source][1] for s in solids_of(r, set())]
        for other in sorted(linked.get(representation, ())):
            found += solids_of(other, seen)
        return found

    own = {}
    for definition, starts in representations.items():
        seen = set()
        own[definition] = [s for start in sorted(starts) for s in solids_of(start, seen)]
    children = {}
    placed = set()
    for _, refs in named("NEXT_ASSEMBLY_USAGE_OCCURRENCE"):
        children.setdefault(refs[0], []).append(refs[1])
        placed.add(refs[1])

    def instances(definition, depth=0):
        below = children.get(definition, []) if depth < 100 else []
        return len(own.get(definition, [])) + sum(instances(child, depth + 1) for child in below)

    definitions = set(own) | set(children)
    used = {solid for d in definitions for solid in own.get(d, [])}
    return len(used), sum(instances(d) for d in sorted(definitions - placed))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(name, *counts(Path(name).read_bytes()))
