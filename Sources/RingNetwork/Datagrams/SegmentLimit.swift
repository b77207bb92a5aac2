internal import LinuxPlatform

/// The longest segment that the kernel may cut from one message (UDP_SEGMENT). Segments must fit
/// into one packet of the path, whose size only the kernel knows, and some interfaces do not
/// support segmentation. A refused message is sent again unsegmented. If the kernel takes its first
/// datagram, segmentation was the cause, and the limit is lowered.
struct SegmentLimit {
    private var limit: Int
    /// The next limit, until a single datagram shows the cause of a refusal.
    private var suspected: Int?

    init(isAvailable: Bool) {
        limit = isAvailable ? SegmentLimit.steps[0] : 0
    }

    /// 0: no segmentation.
    var longestBytes: Int { suspected == nil ? limit : 0 }

    /// Most bytes of one message, with room for every kind of header.
    static let mostBytes = 65_000

    /// The payload sizes of loopback packets, jumbo frames, Ethernet, tunnels, and the minimum MTU
    /// of IPv6.
    private static let steps = [mostBytes, 8_952, 1_472, 1_452, 1_232]

    /// The kernel refused a segmented message. Returns false if the error has another cause.
    mutating func refused(_ code: Int32, segmentBytes: Int) -> Bool {
        guard ErrorCode.isSegmentRefusal(code) else { return false }
        let isTooLong = code == ErrorCode.messageTooLong || code == ErrorCode.invalid
        suspected = isTooLong ? SegmentLimit.steps.first { $0 < segmentBytes } ?? 0 : 0
        return true
    }

    /// The kernel took messages, or refused a single datagram.
    mutating func single(isTaken: Bool) {
        if isTaken, let suspected { limit = suspected }
        suspected = nil
    }
}
