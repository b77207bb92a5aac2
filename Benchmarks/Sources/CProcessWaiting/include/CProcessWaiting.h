#ifndef CPROCESSWAITING_H
#define CPROCESSWAITING_H

/// Blocks the calling thread in vfork(2) until its child has slept and ended.
void benchmark_block_in_vfork(unsigned microseconds);

#endif
