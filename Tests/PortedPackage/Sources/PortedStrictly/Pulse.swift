public import Foundation

/// Counts a timer's fires, in a module where each file sees the members of its own imports only.
public final class Pulse: Sendable {
    private let source: any DispatchSourceTimer

    public init(interval: TimeInterval, onFire: @escaping @Sendable (UInt) -> Void) {
        source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "pulse"))
        source.schedule(deadline: .now() + interval, repeating: interval)
        source.setEventHandler { [unowned source] in onFire(source.data) }
        source.activate()
    }

    public func stop(notifying group: DispatchGroup) {
        group.enter()
        source.setCancelHandler { group.leave() }
        source.cancel()
    }

    public static var module: String { String(reflecting: DispatchQueue.self) }
}
