"""Measures several programs in turn, repeatedly: on a machine whose speed drifts, all programs get
the same share of its fast and slow phases."""

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterable

from report import Median, Outcome

Values = dict[str, float]


class MeasureError(Exception):
    """A failed measurement; the text contains the reason."""


def medians(runs: dict[int, Values]) -> Values:
    """The median over the runs, by their round, for each key."""
    keys = next(iter(runs.values()), {})
    return {key: Median({number: run[key] for number, run in runs.items()}) for key in keys}


def in_turn(
    options: argparse.Namespace, outcome: Outcome, title: str, names: Iterable[str],
    measure: Callable[[str], Values]
) -> dict[str, Values]:
    """The medians by name; empty if no run succeeded. Failures are added to `outcome`."""
    runs: dict[str, dict[int, Values]] = {name: {} for name in names}
    for round_number in range(options.rounds):
        print(f"{title}, round {round_number + 1} of {options.rounds}", file=sys.stderr)
        # The order alternates from round to round.
        order = list(runs.items())[::1 if round_number % 2 == 0 else -1]
        for name, by_round in order:
            try:
                by_round[round_number] = measure(name)
            except (MeasureError, subprocess.SubprocessError) as error:
                outcome.failures.append(f"{name}, {title}: {error}")
                print(outcome.failures[-1], file=sys.stderr)
    return {name: medians(by_round) for name, by_round in runs.items()}
