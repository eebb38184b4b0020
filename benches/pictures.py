"""Measures the CPU time and the size of each picture of a JSON report.

Usage: pictures.py PROGRAM ASSEMBLY REPORT.json
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

program, assembly, report = sys.argv[1:4]


def cpu(*arguments):
    """CPU seconds of one run of `render` with one thread."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = [program, "render", assembly, "--report", report, "--quiet", "--threads", "1", *arguments]
    subprocess.run(line, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


with tempfile.TemporaryDirectory() as folder:
    loading = min(cpu("--output", f"{folder}/none", "--max-pictures", "0") for _ in range(3))
    lines = {}
    for pair in json.load(open(report))["pairs"]:
        if pair["status"] in ("interference", "too_close", "undecided") and pair["member"] in (None, 1):
            lines[pair["row"]] = pair["id"]
    times, sizes = [], []
    for pair in lines.values():
        picture = f"{folder}/one.png"
        times.append(min(cpu(pair, "--output", picture) for _ in range(2)) - loading)
        sizes.append(os.path.getsize(picture) / 1000)
print(f"{len(times)} pictures; loading {loading:.2f} s")
print(f"CPU of a picture: median {statistics.median(times):.2f} s, worst {max(times):.2f} s")
print(f"size of a picture: mean {statistics.mean(sizes):.0f} kB, largest {max(sizes):.0f} kB")
