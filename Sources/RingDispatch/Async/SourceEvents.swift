/// What sources report to a task. Cancels the sources with the last reference to it.
final class SourceEvents<Element: Sendable>: Sendable {
    private let mailbox = Mailbox<ArraySlice<Element>>()
    private let sources: [any DispatchSourceProtocol]

    /// When it returns, the sources are installed: they miss no event after the call.
    /// - Parameters:
    ///   - isLast: nothing follows an event.
    ///   - sources: makes them, with this queue for their handlers.
    ///   - add: adds an event of a source to the elements that were not taken yet.
    init(
        label: String, isLast: Bool = false,
        _ sources: (DispatchQueue) -> [any DispatchSourceProtocol],
        add: @escaping @Sendable (inout ArraySlice<Element>?, any DispatchSourceProtocol) -> Void
    ) {
        self.sources = sources(DispatchQueue(label: label))
        for source in self.sources {
            // The source keeps its handlers until it is cancelled.
            source.setEventHandler { [mailbox] in
                mailbox.post { add(&$0, source) }
                guard isLast else { return }
                mailbox.finish()
                source.cancel()
            }
            source.activate()
        }
    }

    deinit { for source in sources { source.cancel() } }

    func next() async -> Element? { await mailbox.nextElement() }
}
