extension DispatchSource {
    /// See `timer(every:leeway:)`, ``signals(_:)`` and ``exit(of:)``. One task at a time may wait
    /// for the next element.
    public struct EventSequence<Element: Sendable>: AsyncSequence, Sendable {
        public typealias Failure = Never
        let events: SourceEvents<Element>

        public func makeAsyncIterator() -> Iterator { Iterator(events: events) }

        /// Takes the events. All iterators of a sequence share them: each event goes to one.
        public struct Iterator: AsyncIteratorProtocol, Sendable {
            let events: SourceEvents<Element>

            public func next(isolation: isolated (any Actor)?) async -> Element? {
                await events.next()
            }
        }
    }
}
