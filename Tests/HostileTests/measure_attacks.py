"""Prints what each attack comes to as a table in Markdown: three trials each, of which the worst counts."""

import pathlib

from attacks import ATTACKS, SETTINGS, attacked
from conftest import directory
from harness import jose
from harness.stage import Stage

TRIALS = 3


def trial(name: str, key) -> tuple[float, int]:
    with directory() as path:
        stage = Stage(pathlib.Path(path), key, *SETTINGS)
        try:
            return attacked(stage, name)
        finally:
            stage.close()


def main():
    key = jose.rsa_key()
    print("| attack | longest wait of another owner | peak memory |")
    print("|---|---|---|")
    for name in ATTACKS:
        waits, memory = zip(*[trial(name, key) for _ in range(TRIALS)])
        print(f"| {name} | {max(waits) * 1000:.0f} ms | {max(memory) / (1 << 20):.0f} MiB |", flush=True)


if __name__ == "__main__":
    main()
