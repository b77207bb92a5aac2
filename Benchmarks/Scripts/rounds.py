"""Measures several programs in turn, again and again: on a machine whose speed drifts, all of them
have their share of its good and bad moments."""

import argparse
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable

from report import Outcome

Values = dict[str, float]


class MeasureError(Exception):
    """A program could not be measured; the text says why."""


def medians(runs: list[Values]) -> Values:
    """The median over the runs, key by key."""
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]} if runs else {}


def in_turn(
    options: argparse.Namespace, outcome: Outcome, title: str, names: Iterable[str],
    measure: Callable[[str], Values]
) -> dict[str, Values]:
    """The medians by name; none where no run came to its end. Failures are noted."""
    runs: dict[str, list[Values]] = {name: [] for name in names}
    for round_number in range(options.rounds):
        print(f"{title}, round {round_number + 1} of {options.rounds}", file=sys.stderr)
        for name, list_ in runs.items():
            try:
                list_.append(measure(name))
            except (MeasureError, subprocess.SubprocessError) as error:
                outcome.failures.append(f"{name}, {title}: {error}")
                print(outcome.failures[-1], file=sys.stderr)
    return {name: medians(list_) for name, list_ in runs.items()}
