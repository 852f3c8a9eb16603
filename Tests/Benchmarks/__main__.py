"""Measures the rows of the table in Performance.md, each together with its peer, and prints the table."""

import argparse
import contextlib
import os
import sys

import answering, approving, computing, floors, growing, starting, storing  # noqa: E401 (each module registers its rows)
from row import ROWS
from stage import Stage
from tools import MissingPeer


def main():
    parser = argparse.ArgumentParser(prog="Tests/measure", description=__doc__)
    parser.add_argument("rows", nargs="*", type=int, metavar="ROW", help="measure only these rows (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="measure each row N times (default: 5)")
    parser.add_argument("--check", action="store_true", help="fail if a ratio misses its bound by more than the spread")
    parser.add_argument("--floors", action="store_true", help="measure the floors instead of the programs")
    options = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("must run as root, because rows use several owners")
    rows = [row for row in ROWS if row.is_floor == options.floors and row.number in (options.rows or [row.number])]
    header = ["#", "measurement", "floor" if options.floors else "mfad", "peer", "ratio", "bound", "met"]
    missed = 0
    with contextlib.ExitStack() as resources:
        try:
            stage = Stage(resources)
        except MissingPeer as error:
            print(f"Tests/measure: {error}", file=sys.stderr)
            return 1
        print_line(header)
        print_line(["---"] * len(header))
        for row in sorted(rows, key=lambda row: row.number):
            found = row.measure(stage, options.rounds)
            print_line(found.cells)
            missed += found.is_missed
    return int(options.check and missed > 0)


def print_line(cells):
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
