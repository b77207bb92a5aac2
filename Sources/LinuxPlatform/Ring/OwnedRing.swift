internal import CLinux

/// The memory of an io_uring instance, which is closed when its owner is destroyed.
struct OwnedRing: ~Copyable {
    let start: UnsafeMutablePointer<io_uring>

    init(entries: UInt32, _ parameters: io_uring_params) throws(SystemError) {
        var parameters = parameters
        let start = UnsafeMutablePointer<io_uring>.allocate(capacity: 1)
        start.initialize(to: io_uring())
        let code = -clinux_open_ring(entries, start, &parameters)
        if code > 0 {
            start.deallocate()
            throw SystemError(
                call: "io_uring_setup", code: code, remedy: UringProbe.remedy(code: code))
        }
        self.start = start
    }

    deinit {
        clinux_close_ring(start)
        start.deallocate()
    }
}
