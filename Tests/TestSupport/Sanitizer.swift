import Glibc

/// ThreadSanitizer checks this process.
package let isThreadSanitized = dlsym(nil, "__tsan_init") != nil
