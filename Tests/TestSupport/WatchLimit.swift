import Glibc

/// The kernel's limit of watched descriptors, fs.epoll.max_user_watches, which belongs to the
/// machine.
package enum WatchLimit {
    /// To be called in a child process: from now on the kernel refuses all descriptors like one
    /// whose limit is reached (ENOSPC). seccomp(2). False where that is impossible.
    package static func reach() -> Bool {
        #if arch(x86_64)
        let (epollCall, seccompCall) = (UInt32(233), 317)
        #elseif arch(arm64)
        let (epollCall, seccompCall) = (UInt32(21), 277)
        #else
        return false
        #endif
        let allow = UInt32(0x7fff_0000)
        var program: [Instruction] = [
            Instruction(code: 0x20, operand: 0),  // load the number of the call
            Instruction(code: 0x15, otherwise: 3, operand: epollCall),
            Instruction(code: 0x20, operand: 24),  // load the second argument
            Instruction(code: 0x15, otherwise: 1, operand: 1),  // EPOLL_CTL_ADD
            Instruction(code: 0x06, operand: 0x0005_0000 | UInt32(ENOSPC)),
            Instruction(code: 0x06, operand: allow),
        ]
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        typealias Call = @convention(c) (Int, UInt, UInt, UnsafeRawPointer) -> Int
        let control = unsafeBitCast(dlsym(nil, "prctl"), to: Control.self)
        let call = unsafeBitCast(dlsym(nil, "syscall"), to: Call.self)
        guard control(38, 1, 0, 0, 0) == 0 else { return false }  // PR_SET_NO_NEW_PRIVS
        return program.withUnsafeMutableBufferPointer { instructions in
            var filter = Filter(count: 6, instructions: instructions.baseAddress)
            // SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC: for all threads.
            return call(seccompCall, 1, 1, &filter) == 0
        }
    }

    /// struct sock_filter.
    private struct Instruction {
        var code: UInt16
        var then: UInt8 = 0
        var otherwise: UInt8 = 0
        var operand: UInt32
    }

    /// struct sock_fprog.
    private struct Filter {
        var count: UInt16
        var instructions: UnsafeMutablePointer<Instruction>?
    }
}
