"""Prints the cost of each attack as a Markdown table: the worst of three trials.

Arguments select attacks by a part of their names. Attacks above a limit are listed on standard error and make the exit
code 1.
"""

import sys

from attacks import ATTACKS, SETTINGS, Outcome, attacked, most_memory
from harness import jose
from harness.hostile.stage import Stage
from harness.users import open_directory

TRIALS = 3

LONGEST_WAIT = 0.250
"""Limit in seconds for release programs on an idle machine."""


def trial(name: str, key) -> Outcome:
    with open_directory() as path:
        stage = Stage(path, key, **SETTINGS)
        try:
            return attacked(stage, name)
        finally:
            stage.close()


def main():
    key = jose.rsa_key()
    print("| attack | longest wait of another owner | longest wait of a writer | peak memory |")
    print("|---|---|---|---|")
    missed = []
    for name in ATTACKS:
        if sys.argv[1:] and not any(part in name for part in sys.argv[1:]):
            continue
        worst = Outcome(*map(max, zip(*[trial(name, key) for _ in range(TRIALS)])))
        print(f"| {name} | {worst.reading * 1000:.0f} ms | {worst.writing * 1000:.0f} ms "
              f"| {worst.memory / (1 << 20):.0f} MiB |", flush=True)
        if max(worst.reading, worst.writing) > LONGEST_WAIT or worst.memory > most_memory(name):
            missed.append(name)
    for name in missed:
        print(f"more than {LONGEST_WAIT * 1000:.0f} ms or {most_memory(name) >> 20} MiB: {name}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
