import RingDispatch
import Testing

/// The tests of `DispatchIO` run one after the other, so that each can count what it leaves behind.
@Suite("DispatchIO", .serialized, .watchdog)
struct IOTests {
    /// A channel, and its cleanup handler.
    static func open(
        _ type: DispatchIO.StreamType, _ descriptor: Int32,
        queue: DispatchQueue = DispatchQueue(label: "io.cleanup")
    ) -> (channel: DispatchIO, cleanup: Cleanup) {
        let cleanup = Cleanup()
        let channel = DispatchIO(
            type: type, fileDescriptor: descriptor, queue: queue, cleanupHandler: cleanup.handler)
        return (channel, cleanup)
    }
}
