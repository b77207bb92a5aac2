internal import LinuxPlatform

/// The longest segment that the kernel may cut from one message (UDP_SEGMENT). Segments must fit
/// into one packet of the path, whose size only the kernel knows, and some interfaces do not
/// support segmentation. A refused message is sent again unsegmented, and the limit is lowered.
struct SegmentLimit {
    /// 0: no segmentation.
    private(set) var longestBytes: Int

    init(isAvailable: Bool) {
        longestBytes = isAvailable ? SegmentLimit.steps[0] : 0
    }

    /// Most bytes of one message, with room for every kind of header.
    static let mostBytes = 65_000

    /// The payload sizes of loopback packets, jumbo frames, Ethernet, tunnels, and the minimum MTU
    /// of IPv6.
    private static let steps = [mostBytes, 8_952, 1_472, 1_452, 1_232]

    /// Lowers the limit after the kernel refused a segmented message. Returns false if the error
    /// has another cause.
    mutating func refused(_ code: Int32, segmentBytes: Int) -> Bool {
        guard ErrorCode.isSegmentRefusal(code) else { return false }
        let isTooLong = code == ErrorCode.messageTooLong || code == ErrorCode.invalid
        longestBytes = isTooLong ? SegmentLimit.steps.first { $0 < segmentBytes } ?? 0 : 0
        return true
    }
}
