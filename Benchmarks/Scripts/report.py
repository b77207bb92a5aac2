"""Markdown tables, required ratios, and the outcome of a comparison."""

import dataclasses


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


@dataclasses.dataclass
class Need:
    """A required ratio of two measured values: at least, or at most, a bound."""
    text: str
    value: float | None
    other: float | None
    at_least: float | None = None
    at_most: float | None = None

    def row(self, outcome: Outcome) -> list[str]:
        sign, bound = (">=", self.at_least) if self.at_least is not None else ("<=", self.at_most)
        needed = f"{sign} {bound:.2f}"
        if self.value is None or not self.other:
            return [self.text, needed, "-", "not measured"]
        ratio = self.value / self.other
        is_good = ratio >= bound if sign == ">=" else ratio <= bound
        return [self.text, needed, f"{ratio:.2f}", outcome.verdict(self.text, is_good)]


def needs_table(needs: list[Need], outcome: Outcome) -> str:
    return table(["ratio", "needed", "measured", ""], [need.row(outcome) for need in needs])
