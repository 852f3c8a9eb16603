"""Prints what each attack comes to as a table in Markdown: three trials each, of which the worst counts.

Arguments choose the attacks in whose names one of them is.
"""

import pathlib
import sys

from attacks import ATTACKS, SETTINGS, Outcome, attacked
from conftest import directory
from harness import jose
from harness.stage import Stage

TRIALS = 3


def trial(name: str, key) -> Outcome:
    with directory() as path:
        stage = Stage(pathlib.Path(path), key, *SETTINGS)
        try:
            return attacked(stage, name)
        finally:
            stage.close()


def main():
    key = jose.rsa_key()
    print("| attack | longest wait of another owner | of one who writes | peak memory |")
    print("|---|---|---|---|")
    for name in ATTACKS:
        if sys.argv[1:] and not any(part in name for part in sys.argv[1:]):
            continue
        worst = Outcome(*map(max, zip(*[trial(name, key) for _ in range(TRIALS)])))
        print(f"| {name} | {worst.reading * 1000:.0f} ms | {worst.writing * 1000:.0f} ms "
              f"| {worst.memory / (1 << 20):.0f} MiB |", flush=True)


if __name__ == "__main__":
    main()
