"""Names of parts and ids of instances from the names in the file."""

from __future__ import annotations

import re
import unicodedata

from .tree import Leaf, Level, Tree

# A running number of the CAD program, the kernel's word for a representation without a name, or a UUID (CadQuery).
SAYS_NOTHING = re.compile(
    r"(NAUO\d*|\*?DIT\d+|\d+|SOLID|COMPOUND|COMPSOLID|SHELL|FACE|Open CASCADE STEP.*|"
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?"
)


def clean(text: str) -> str:
    """Replaces every character outside letters, digits and `_+-` by `_`."""
    text = unicodedata.normalize("NFC", text.strip())
    return "".join(c if c.isalnum() or c in "_+-" else "_" for c in text)


class Words:
    """Decides which names of a file say something."""

    def __init__(self, tree: Tree):
        levels = [level for leaf in tree.leaves for level in leaf.levels[1:]]
        self.occurrence = _repeated({(x.occurrence, x.product) for x in levels}, 0)
        self.product = _repeated({(x.product, x.entry) for x in levels}, 0) if len(tree.leaves) > 1 else None

    def product_name(self, leaf: Leaf) -> str:
        """Returns the name of the product: the innermost that says something; empty without one."""
        for level in reversed(leaf.levels):
            if _says(level.product, self.product):
                return level.product.strip()
        return ""

    def level_name(self, level: Level) -> str:
        """Returns the name of a level: of the occurrence, else of the product; empty where neither says something."""
        for text, repeated in ((level.occurrence, self.occurrence), (level.product, self.product)):
            if _says(text, repeated):
                return text
        return ""


def _repeated(pairs: set, index: int) -> str | None:
    """Returns the text that all of several pairs share; `None` without one."""
    texts = {pair[index] for pair in pairs}
    return texts.pop() if len(pairs) > 1 and len(texts) == 1 else None


def _says(text: str, repeated: str | None) -> bool:
    text = text.strip()
    return not SAYS_NOTHING.fullmatch(text) and text != (repeated or "").strip()


class Unique:
    """Hands out names, each once: `screw`, `screw-2`, `screw-3`."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.counts: dict[str, int] = {}

    def take(self, name: str) -> str:
        """Returns the name, or the name with the next free number."""
        taken, number = name, self.counts.get(name, 1)
        while taken in self.used:
            number += 1
            taken = f"{name}-{number}"
        self.counts[name] = number
        self.used.add(taken)
        return taken
