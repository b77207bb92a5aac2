import Glibc

/// A filter of the process's system calls, which stays until its end: for child processes.
/// seccomp(2).
package enum CallFilter {
    /// struct sock_filter.
    package struct Instruction {
        var code: UInt16
        var then: UInt8 = 0
        var otherwise: UInt8 = 0
        var operand: UInt32

        /// Loads a word of struct seccomp_data: 0 is the call's number, 16 its first argument.
        package static func load(_ offset: UInt32) -> Self { Self(code: 0x20, operand: offset) }
        /// Skips instructions unless the loaded word has the value.
        package static func skip(_ count: UInt8, unless value: UInt32) -> Self {
            Self(code: 0x15, otherwise: count, operand: value)
        }
        package static func end(_ action: UInt32) -> Self { Self(code: 0x06, operand: action) }
    }

    package static let allow = UInt32(0x7fff_0000)
    package static let notify = UInt32(0x7fc0_0000)
    package static func fail(_ code: Int32) -> UInt32 { 0x0005_0000 | UInt32(code) }

    /// struct sock_fprog.
    private struct Program {
        var count: UInt16
        var instructions: UnsafeMutablePointer<Instruction>?
    }

    /// Installs a filter for all threads.
    /// - Parameter flags: SECCOMP_FILTER_FLAG_... in addition.
    /// - Returns: what seccomp(2) returns; negative where that is impossible.
    package static func install(_ program: [Instruction], flags: UInt = 0) -> Int {
        #if arch(x86_64)
        let seccompCall = 317
        #else
        let seccompCall = 277
        #endif
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        typealias Call = @convention(c) (Int, UInt, UInt, UnsafeRawPointer) -> Int
        let control = unsafeBitCast(dlsym(nil, "prctl"), to: Control.self)
        let call = unsafeBitCast(dlsym(nil, "syscall"), to: Call.self)
        guard control(38, 1, 0, 0, 0) == 0 else { return -1 }  // PR_SET_NO_NEW_PRIVS
        var program = program
        return program.withUnsafeMutableBufferPointer { instructions in
            var filter = Program(
                count: UInt16(instructions.count), instructions: instructions.baseAddress)
            // SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC
            return call(seccompCall, 1, flags | 1, &filter)
        }
    }
}
