#ifndef CTHREADPLACEMENT_H
#define CTHREADPLACEMENT_H

/// Binds the calling thread to the index-th CPU of its affinity mask, if there is one.
void benchmark_bind_to_allowed_cpu(int index);

#endif
