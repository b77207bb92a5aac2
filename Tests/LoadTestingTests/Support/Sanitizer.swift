import Glibc

/// ThreadSanitizer checks this process.
let isThreadSanitized = dlsym(nil, "__tsan_init") != nil
