import Foundation

/// A store of letters behind a queue, with GCD's types in its public signatures.
public final class Mailbox: @unchecked Sendable {
    // Safety: the letters are touched on the queue only.
    private let queue: DispatchQueue
    private var letters: [String] = []

    public init(queue: DispatchQueue) {
        self.queue = queue
    }

    public func post(_ letter: String, group: DispatchGroup? = nil) {
        queue.async(group: group, flags: .barrier) { self.letters.append(letter) }
    }

    public func count(at deadline: DispatchTime, handler: @escaping @Sendable (Int) -> Void) {
        queue.asyncAfter(deadline: deadline + .milliseconds(1)) { handler(self.letters.count) }
    }

    public func poll(on queue: DispatchQueue) -> DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 0.001, repeating: .milliseconds(1))
        return timer
    }

    /// Inlinable functions may call the plugin's generated code, too.
    @inlinable
    public static func check(_ queue: DispatchQueue) {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

extension DispatchQueue {
    public func twice(_ work: () -> Void) {
        sync(execute: work)
        sync(execute: work)
    }
}

extension DispatchQoS.QoSClass {
    public var isUrgent: Bool { self == .userInteractive || self == .userInitiated }
}
