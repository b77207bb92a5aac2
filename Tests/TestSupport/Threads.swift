package import Testing

/// Starts `count` threads, and passes each its number.
package func startThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> [UserThread] {
    (0..<count).map { number in UserThread { body(number) } }
}

/// The same, and waits until all have ended.
package func onThreads(
    _ count: Int, seconds: Int = Patience.seconds,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable (Int) -> Void
) {
    for thread in startThreads(count, body) {
        #expect(thread.join(seconds: seconds), sourceLocation: sourceLocation)
    }
}
