import RingDispatch
import Testing

/// The tests of `DispatchIO` run one after the other, so that each can count what it leaves behind.
@Suite("DispatchIO", .serialized, .watchdog, .leavesNothing)
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

    /// Two connected descriptors, and a stream channel of the near one.
    static func openPair(
        _ kind: Channel.Kind = .socketPair
    ) -> (pair: Channel, channel: DispatchIO, cleanup: Cleanup) {
        let pair = Channel(kind)
        let (channel, cleanup) = open(.stream, pair.near)
        return (pair, channel, cleanup)
    }

    /// Closes a channel, and waits for its cleanup handler.
    static func finish(
        _ channel: DispatchIO, _ cleanup: Cleanup,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        channel.close()
        cleanup.expect(sourceLocation: sourceLocation)
    }
}

/// Checks after each test that no object of `DispatchIO` is left.
struct LeavesNothing: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        if testCase != nil { expectNothingLeft(sourceLocation: test.sourceLocation) }
    }
}

extension Trait where Self == LeavesNothing {
    static var leavesNothing: LeavesNothing { LeavesNothing() }
}
