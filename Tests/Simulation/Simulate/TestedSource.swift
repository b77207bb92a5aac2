internal import RingDispatch

/// A source whose handlers are counted.
final class TestedSource: @unchecked Sendable {
    let descriptor: Int32
    /// Nil once it was cancelled: the test drops the source at once.
    private(set) var source: (any DispatchSourceProtocol)?
    private(set) var cancels = 0
    private var isInHandler = false
    /// Called in the cancel handler.
    var afterCancel: () -> Void = {}

    init(
        _ descriptor: Int32, _ source: any DispatchSourceProtocol,
        _ body: @escaping @Sendable () -> Void
    ) {
        self.descriptor = descriptor
        self.source = source
        source.setEventHandler { [self] in
            note("event handler", Int(descriptor))
            enter()
            body()
            isInHandler = false
        }
        source.setCancelHandler { [self] in
            note("cancel handler", Int(descriptor))
            enter()
            cancels += 1
            afterCancel()
            isInHandler = false
        }
        if oneIn(3) {
            source.setRegistrationHandler { [self] in
                note("registration handler", Int(descriptor))
                enter()
                pause(1...3_000)
                isInHandler = false
            }
        }
    }

    private func enter() {
        require(cancels == 0, "a handler after the cancel handler")
        require(!isInHandler, "two handlers at the same time")
        isInHandler = true
    }

    func activate() {
        note("activate", Int(descriptor))
        source?.activate()
    }
    func cancel() {
        note("cancel", Int(descriptor))
        source?.cancel()
        source = nil
    }
}
