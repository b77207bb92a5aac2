/// A descriptor's entry in an epoll set, with the stream and the registrations that wait for it.
struct EpollRegistration {
    /// The token of the stream in flight; 0 if there is none.
    var stream: UInt64 = 0
    var registeredEvents: UInt32 = 0
    var isListener = false
    /// For a Unix socket, only a read that finds nothing proves that no bytes are left.
    var isUnix = false
    var hasOneShots = false

    /// EPOLLET, whose type differs between the headers of C libraries.
    static let edgeTriggered: UInt32 = 1 << 31

    var isEdgeTriggered: Bool { registeredEvents & EpollRegistration.edgeTriggered != 0 }

    /// The events that the stream needs.
    var streamEvents: UInt32 {
        if stream == 0 { return 0 }
        let events = PollEvents.readable | PollEvents.readHangUp
        if isListener || isUnix || hasOneShots { return events }
        return events | PollEvents.urgent | EpollRegistration.edgeTriggered
    }
}
