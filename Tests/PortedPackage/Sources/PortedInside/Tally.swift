import Dispatch
import Foundation

/// A count behind a queue. No signature has a type of GCD.
public final class Tally: @unchecked Sendable {
    // Safety: the count is touched on the queue only.
    private let queue = DispatchQueue(label: "tally", qos: .utility)
    private var count = 0

    public init() {}

    public func add(_ more: Int) {
        queue.async { self.count += more }
    }

    public func add(
        _ more: Int, in seconds: TimeInterval, completion: @escaping @Sendable () -> Void
    ) {
        let item = DispatchWorkItem { self.count += more }
        item.notify(queue: .global(), execute: completion)
        queue.asyncAfter(deadline: .now() + seconds, execute: item)
    }

    public var value: Int { queue.sync { count } }

    public static var module: String { String(reflecting: DispatchQueue.self) }
}
