internal import LinuxPlatform

/// How long datagrams may be that the kernel is to cut out of one message (UDP_SEGMENT). They have
/// to fit into one packet of the way they go, which only the kernel knows, and some interfaces
/// cannot do it at all: what is refused is sent again uncut, and such a message is not tried again.
struct SegmentLimit {
    /// 0: none.
    private(set) var longestBytes: Int

    init(isAvailable: Bool) {
        longestBytes = isAvailable ? SegmentLimit.steps[0] : 0
    }

    /// The most bytes of one message, with room for every kind of header.
    static let mostBytes = 65_000

    /// The payloads of packets on loopback interfaces, with jumbo frames, Ethernet, tunnels, and
    /// the smallest that IPv6 allows.
    private static let steps = [mostBytes, 8_952, 1_472, 1_452, 1_232]

    /// The kernel has refused a message of several datagrams. False when the error says something
    /// else.
    mutating func refused(_ code: Int32, segmentBytes: Int) -> Bool {
        guard ErrorCode.isSegmentRefusal(code) else { return false }
        let isTooLong = code == ErrorCode.messageTooLong || code == ErrorCode.invalid
        longestBytes = isTooLong ? SegmentLimit.steps.first { $0 < segmentBytes } ?? 0 : 0
        return true
    }
}
