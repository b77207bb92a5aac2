internal import Glibc

/// Pages mapped directly from the kernel.
package enum PageMemory {
    /// mmap(2). Ends the process when memory is short, as Swift's own allocations do.
    package static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let start = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start, start != MAP_FAILED else {
            fatalSystemError(SystemError(call: "mmap", code: errno, remedy: "memory is short"))
        }
        return start
    }

    package static func free(_ start: UnsafeMutableRawPointer, _ count: Int) {
        munmap(start, count)
    }
}
