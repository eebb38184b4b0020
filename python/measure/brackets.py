"""Compares the answers of two JSON reports of one assembly.

Usage: brackets.py BEFORE.json AFTER.json

Prints the number of rows, how many have another status, certainty or relation, how many brackets of the gap differ, the
largest difference of an end of a bracket (share of that end), and how many brackets do not meet. Exits with 1 if a
status differs or a bracket does not meet the one before.
"""

import json
import sys

ROUNDING = 1e-9
"""Distance up to which two brackets count as meeting (mm)."""


def rows(path: str) -> dict:
    """The rows of a report by their instances and their run."""
    with open(path, encoding="utf-8") as file:
        return {(p["a"], p["b"], p.get("run")): p for p in json.load(file)["pairs"]}


def main() -> None:
    before, after = map(rows, sys.argv[1:])
    if before.keys() != after.keys():
        sys.exit("The reports list other pairs.")
    keys = ("status", "certainty", "relation")
    others = {key: sum(before[pair][key] != after[pair][key] for pair in before) for key in keys}
    brackets = [(before[pair]["gap_bracket"], after[pair]["gap_bracket"]) for pair in before]
    changed = [(p, q) for p, q in brackets if p != q and p and q]
    apart = sum(p[0] > q[1] + ROUNDING or q[0] > p[1] + ROUNDING for p, q in changed)
    shares = [abs(x - y) / abs(x) for p, q in changed for x, y in zip(p, q) if x]
    print(f"{len(before)} rows, others: " + ", ".join(f"{key} {count}" for key, count in others.items()))
    print(f"brackets: {len(changed)} differ, by up to {max(shares, default=0.0):.2%}, {apart} do not meet")
    sys.exit(int(bool(others["status"] or apart)))


if __name__ == "__main__":
    main()
