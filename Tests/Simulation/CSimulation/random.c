// The one source of choices.
#include "simulation.h"

static uint64_t state;
static unsigned faults[SIMULATION_FAULTS];

void seed_random(uint64_t seed) {
    state = seed * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019;
    for (int round = 0; round < 4; round++) random_below(2);
}

// splitmix64.
uint64_t random_below(uint64_t limit) {
    uint64_t value = (state += 0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    value ^= value >> 31;
    return limit ? value % limit : 0;
}

bool chance(unsigned of_thousand) {
    return of_thousand != 0 && random_below(1000) < of_thousand;
}

bool misbehaves(enum simulation_fault fault) { return chance(faults[fault]); }

void simulation_set_fault(enum simulation_fault fault, unsigned of_thousand) {
    faults[fault] = of_thousand;
}

uint64_t simulation_random(uint64_t limit) { return random_below(limit); }
