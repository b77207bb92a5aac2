#ifndef CTHREADPLACEMENT_H
#define CTHREADPLACEMENT_H

/// Binds the calling thread to the index-th CPU that it may use. Does nothing if there are fewer.
void benchmark_bind_to_allowed_cpu(int index);

#endif
