/// What an epoll set was told of a descriptor, and who waits for it.
struct EpollRegistration {
    /// The token of the stream that is out; 0: none is.
    var stream: UInt64 = 0
    var registeredEvents: UInt32 = 0
    var isListener = false
    /// Only a read that finds nothing proves that nothing is left.
    var isUnix = false
    var hasWatches = false

    /// EPOLLET, whose own type differs between C libraries' headers.
    static let edgeTriggered: UInt32 = 1 << 31

    var isEdgeTriggered: Bool { registeredEvents & EpollRegistration.edgeTriggered != 0 }

    /// What the stream has to be told.
    var streamEvents: UInt32 {
        if stream == 0 { return 0 }
        let events = PollEvents.readable | PollEvents.readHangUp
        if isListener || isUnix || hasWatches { return events }
        return events | PollEvents.urgent | EpollRegistration.edgeTriggered
    }
}
