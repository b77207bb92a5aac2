"""Markdown tables, required ratios, and the outcome of a comparison."""

import dataclasses
import random
import statistics


class Median(float):
    """The median of the values that one program had, by the round."""
    runs: dict[int, float]

    def __new__(cls, runs: dict[int, float]) -> "Median":
        median = super().__new__(cls, statistics.median(runs.values()))
        median.runs = runs
        return median


# With fewer values than this, the interval would not be one of 95 %.
LEAST_FOR_INTERVAL = 6


def interval(ratios: list[float]) -> tuple[float, float]:
    """The 95 % interval of the median, by resampling with a fixed seed."""
    source = random.Random(1)
    medians = sorted(
        statistics.median(source.choices(ratios, k=len(ratios))) for _ in range(2000))
    return medians[50], medians[1949]


@dataclasses.dataclass
class Outcome:
    """`missed` names rows below their requirement, `failures` the failed measurements."""
    missed: list[str] = dataclasses.field(default_factory=list)
    failures: list[str] = dataclasses.field(default_factory=list)

    def verdict(self, name: str, is_good: bool) -> str:
        if is_good:
            return "ok"
        self.missed.append(name)
        return "**MISSED**"


def number(value: float) -> str:
    """The number with at least three significant digits where that is not false precision."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table: the first column left-aligned, the others right-aligned."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(cells: list[str]) -> str:
        padded = [cells[0].ljust(widths[0])]
        padded += [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]]
    return "\n".join([line(head), line(rule), *map(line, rows)])


# The columns of tables of results, by the clients' keys.
HEADS = {
    "cpu_us": "CPU µs", "client_cpu_us": "client's CPU µs", "rate": "a second",
    "p50_us": "p50 µs", "p99_us": "p99 µs", "p999_us": "p99.9 µs",
    "p50_ms": "p50 ms", "p99_ms": "p99 ms", "p999_ms": "p99.9 ms",
    "late_p99_us": "client late p99 µs", "switches": "switches", "threads": "threads",
    "lost": "lost",
}
PER_MESSAGE = {"cpu_us": "CPU µs/message", "rate": "messages/s", "switches": "switches/message"}
# Of values that `number` does not write.
DECIMALS = {"switches": 3, "threads": 0, "lost": 0}


def results_table(
    first: str, keys: list[str], results: dict[str, dict[str, float]],
    heads: dict[str, str] | None = None
) -> str:
    """A row for each result; an empty one has failed. `heads` replaces some of HEADS."""
    def text(key: str, result: dict[str, float]) -> str:
        if key not in result and key.endswith("_ms"):
            value = result[key.removesuffix("_ms") + "_us"] / 1e3
        else:
            value = result.get(key)
        if value is None:
            return "-"
        return f"{value:.{DECIMALS[key]}f}" if key in DECIMALS else number(value)

    known = {**HEADS, **(heads or {})}
    return table([first, *(known[key] for key in keys)], [
        [name, *(text(key, result) for key in keys)] if result
        else [name, "failed", *["-"] * (len(keys) - 1)]
        for name, result in results.items()])


@dataclasses.dataclass
class Need:
    """A required ratio of two measured values: at least, or at most, a bound. That of two medians is
    the median of the ratios in each round, with its interval."""
    text: str
    value: float | None
    other: float | None
    at_least: float | None = None
    at_most: float | None = None

    def row(self, outcome: Outcome) -> list[str]:
        sign, bound = (">=", self.at_least) if self.at_least is not None else ("<=", self.at_most)
        needed = f"{sign} {bound:.2f}"
        if self.value is None or not self.other:
            return [self.text, needed, "-", "", "not measured"]
        ratio, span = self.value / self.other, ""
        ratios = self._ratios()
        if ratios:
            ratio = statistics.median(ratios)
            if len(ratios) >= LEAST_FOR_INTERVAL:
                span = "{:.2f} to {:.2f}".format(*interval(ratios))
        is_good = ratio >= bound if sign == ">=" else ratio <= bound
        return [self.text, needed, f"{ratio:.2f}", span, outcome.verdict(self.text, is_good)]

    def _ratios(self) -> list[float]:
        """Those of the rounds that both values have."""
        value, other = (getattr(each, "runs", {}) for each in (self.value, self.other))
        return [value[number] / other[number] for number in value if other.get(number)]


# Of the columns that `Need.row` returns after the text.
NEED_HEADS = ["needed", "measured", "95 %", ""]


def needs_table(needs: list[Need], outcome: Outcome) -> str:
    return table(["ratio", *NEED_HEADS], [need.row(outcome) for need in needs])
