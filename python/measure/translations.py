"""Compares the separating translations of two JSON reports of one assembly.

Usage: translations.py BEFORE.json AFTER.json

Prints the number of pairs with a translation in both reports, the pairs with a translation in one alone, and the
lengths after over those before: least, mean and largest, and how many are longer or shorter by more than 0.1 %.
"""

import json
import sys


def lengths(path: str) -> dict:
    """Length of the separating translation (mm) of each pair, by the names of its instances and its run."""
    with open(path, encoding="utf-8") as file:
        pairs = json.load(file)["pairs"]
    return {(p["a"], p["b"], p.get("run")): p["penetration_depth"] for p in pairs if p.get("separating_translation")}


def main() -> None:
    before, after = map(lengths, sys.argv[1:])
    both = sorted(before.keys() & after.keys(), key=str)
    if not both:
        sys.exit("No pair has a translation in both reports.")
    ratios = [after[pair] / before[pair] for pair in both]
    print(f"{len(both)} pairs, in one report alone: {len(before.keys() ^ after.keys())}")
    print(f"after / before: {min(ratios):.4f}, mean {sum(ratios) / len(ratios):.5f}, {max(ratios):.4f}")
    print(f"longer: {sum(r > 1.001 for r in ratios)}, shorter: {sum(r < 0.999 for r in ratios)}")


main()
