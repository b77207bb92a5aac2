// Latencies in logarithmic buckets, each at most 1/64 (1.6 %) wide.
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>
#include <stdio.h>

enum { SUB_BITS = 6, SUB_BUCKETS = 1 << SUB_BITS, BUCKETS = (64 - SUB_BITS + 1) * SUB_BUCKETS };

struct histogram {
    uint64_t total;
    uint64_t counts[BUCKETS];
};

static inline int histogram_bucket(uint64_t value) {
    if (value < SUB_BUCKETS) return (int)value;
    int shift = 63 - __builtin_clzll(value) - SUB_BITS;
    return (shift + 1) * SUB_BUCKETS + (int)(value >> shift) - SUB_BUCKETS;
}

/// The largest value of a bucket.
static inline uint64_t histogram_upper_bound(int bucket) {
    if (bucket < SUB_BUCKETS) return (uint64_t)bucket;
    int shift = bucket / SUB_BUCKETS - 1;
    uint64_t first = (uint64_t)(bucket % SUB_BUCKETS + SUB_BUCKETS) << shift;
    return first + ((uint64_t)1 << shift) - 1;
}

static inline void histogram_add(struct histogram *histogram, uint64_t value) {
    histogram->counts[histogram_bucket(value)]++;
    histogram->total++;
}

static inline uint64_t histogram_percentile(const struct histogram *histogram, double part) {
    uint64_t rank = (uint64_t)(part * (double)histogram->total), seen = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        seen += histogram->counts[bucket];
        if (seen > rank) return histogram_upper_bound(bucket);
    }
    return 0;
}

/// Prints name=value, in microseconds.
static inline void print_percentile(const char *name, const struct histogram *histogram,
                                    double part) {
    printf("%s=%.1f\n", name, (double)histogram_percentile(histogram, part) / 1e3);
}

static inline void print_percentiles(const struct histogram *histogram) {
    print_percentile("p50_us", histogram, 0.50);
    print_percentile("p99_us", histogram, 0.99);
    print_percentile("p999_us", histogram, 0.999);
}

#endif
