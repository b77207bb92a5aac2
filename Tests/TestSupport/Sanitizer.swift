import Glibc

/// ThreadSanitizer checks this process.
package let isThreadSanitized = dlsym(nil, "__tsan_init") != nil
/// AddressSanitizer checks this process.
package let isAddressSanitized = dlsym(nil, "__asan_init") != nil
