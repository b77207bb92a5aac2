import Dispatch

// Names that libdispatch on Linux does not have: portable programs declare them there. Compiled,
// never run.
#if os(Linux)
let NSEC_PER_SEC: UInt64 = 1_000_000_000
let NSEC_PER_MSEC: UInt64 = 1_000_000
let NSEC_PER_USEC: UInt64 = 1000
let USEC_PER_SEC: UInt64 = 1_000_000
typealias dispatch_group_t = DispatchGroup
#endif

/// A word of the program's own.
enum ErrorNumber { case one }

/// The same.
final class DispatchOnce {
    private let group: dispatch_group_t = DispatchGroup()

    func run(_ number: ErrorNumber, at time: DispatchTime) -> UInt64 {
        group.enter()
        group.leave()
        return time.uptimeNanoseconds / NSEC_PER_SEC
    }
}
