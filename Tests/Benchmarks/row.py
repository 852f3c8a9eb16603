"""A row of the table: one of our operations and a peer's equivalent, measured alternately in one run."""

import contextlib
import functools
import statistics
from collections.abc import Callable
from dataclasses import dataclass

ROWS = []


@dataclass(frozen=True)
class Figure:
    """A measured quantity: its unit, and whether higher is better."""

    unit: str
    is_rate: bool

    def text(self, value):
        return f"{value:,.0f} {self.unit}" if value >= 100 else f"{value:.3g} {self.unit}"


NANOSECONDS = Figure("ns", is_rate=False)
MICROSECONDS = Figure("µs", is_rate=False)
MILLISECONDS = Figure("ms", is_rate=False)
BYTES = Figure("B", is_rate=False)
MEGABYTES = Figure("MB", is_rate=False)
MEGABYTES_A_SECOND = Figure("MB/s", is_rate=True)
A_SECOND = Figure("/s", is_rate=True)


@dataclass(frozen=True)
class Bound:
    """The required ratio: at least N times as good, or at most N times as much."""

    least: float | None = None
    most: float | None = None

    def text(self, unit):
        return f"≥ {self.least:g} {unit}" if self.least is not None else f"≤ {self.most:g} {unit}"

    def is_missed(self, value, spread):
        """True if the bound is missed by more than the spread of the rounds."""
        return value + spread < self.least if self.least is not None else value - spread > self.most


def at_least(value):
    return Bound(least=value)


def at_most(value):
    return Bound(most=value)


@dataclass(frozen=True)
class Row:
    number: int
    what: str
    figure: Figure
    bound: Bound
    prepare: Callable
    """Returns both measurements. The peer's is None if the bound applies to the value itself."""

    is_floor: bool = False
    """True if the row measures a lower bound of our work instead of our program."""

    def measure(self, stage, rounds):
        """Measures all rounds, in each ours and then the peer's."""
        with contextlib.ExitStack() as resources:
            ours, peers = self.prepare(stage, resources)
            turns = [(ours(), peers() if peers else None) for _ in range(rounds)]
        return Measurement(self, *zip(*turns, strict=True))


@dataclass(frozen=True)
class Measurement:
    row: Row
    ours: tuple
    peers: tuple

    @property
    def ratios(self):
        if self.peers[0] is None:
            return self.ours
        # At least: how many times as good. At most: how many times as much.
        ours_above = self.row.figure.is_rate == (self.row.bound.least is not None)
        return [ours / peer if ours_above else peer / ours for ours, peer in zip(self.ours, self.peers, strict=True)]

    @property
    def ratio(self):
        return statistics.median(self.ratios)

    @property
    def spread(self):
        """Half of the interquartile range of the rounds."""
        low, _, high = statistics.quantiles(self.ratios, n=4)
        return (high - low) / 2

    @property
    def is_missed(self):
        return self.row.bound.is_missed(self.ratio, self.spread)

    @property
    def cells(self):
        unit = self.row.figure.unit if self.peers[0] is None else "×"
        figure = self.row.figure.text
        return [
            str(self.row.number), self.row.what, figure(statistics.median(self.ours)),
            figure(statistics.median(self.peers)) if self.peers[0] is not None else "",
            f"{self.ratio:.3g} ± {self.spread:.2g} {unit}", self.row.bound.text(unit), "**no**" if self.is_missed else "yes",
        ]


def row(number, what, figure, bound, is_floor=False):
    """Decorator: registers a row with the function that prepares its measurements."""

    def made(prepare):
        ROWS.append(Row(number, what, figure, bound, prepare, is_floor))
        return prepare

    return made


floor = functools.partial(row, is_floor=True)
