"""Decodes and merges histograms of ringload with HdrHistogram's library for Python.

Each line of the input is a histogram in base64. Prints the figures of all of them merged:
the count, the largest value, and the value at each percentile of the arguments.
"""
import sys
from hdrh.histogram import HdrHistogram

merged = HdrHistogram(64, 60_000_000_000, 3)
for line in sys.stdin:
    merged.add(HdrHistogram.decode(line.strip()))
percentiles = [int(merged.get_value_at_percentile(float(text))) for text in sys.argv[1:]]
print(merged.get_total_count(), int(merged.get_max_value()), *percentiles)
