import Dispatch

// How programs extend GCD's types, and subclass and pass them around. Compiled, never run.

protocol Scheduling: AnyObject {
    func run(after seconds: Double, _ work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: Scheduling {
    static let shared = DispatchQueue(label: "shared", qos: .utility, attributes: .concurrent)

    func run(after seconds: Double, _ work: @escaping @Sendable () -> Void) {
        asyncAfter(deadline: .now() + seconds, execute: work)
    }

    /// Runs immediately if that is safe.
    func safeSync<T>(_ key: DispatchSpecificKey<Bool>, execute work: () throws -> T) rethrows -> T {
        if DispatchQueue.getSpecific(key: key) == true { return try work() }
        return try sync(execute: work)
    }
}

extension DispatchTimeInterval {
    var isForEver: Bool { if case .never = self { true } else { false } }
    static func minutes(_ count: Int) -> DispatchTimeInterval { .seconds(60 * count) }
}

extension DispatchTime: @retroactive ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self = .now() + value }
}

extension DispatchSourceProtocol {
    func whenCancelled(_ group: DispatchGroup) {
        group.enter()
        setCancelHandler { group.leave() }
    }
}

extension DispatchGroup {
    func tracked(_ body: (@escaping @Sendable () -> Void) -> Void) {
        enter()
        body { self.leave() }
    }
}

/// Reads side by side, writes alone.
@propertyWrapper
final class Guarded<Value>: @unchecked Sendable {
    // Safety: read on the queue, written by its barriers.
    private var value: Value
    private let queue = DispatchQueue(label: "guarded", attributes: .concurrent)

    init(wrappedValue: Value) { value = wrappedValue }

    var wrappedValue: Value {
        get { queue.sync { value } }
        set { queue.sync(flags: .barrier) { value = newValue } }
    }
}

final class Settings: Sendable {
    let names = Guarded(wrappedValue: [String: Int]())
    let queue: DispatchQueue
    let qos: DispatchQoS
    let semaphore = DispatchSemaphore(value: 1)
    let deadline: DispatchTime = .distantFuture

    init(queue: DispatchQueue = .main, qos: DispatchQoS = .default) {
        self.queue = queue
        self.qos = qos
    }

    func load(_ completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
        DispatchQueue.global(qos: qos.qosClass).async { [weak self] in
            guard let self else { return }
            let count = self.names.wrappedValue.count
            self.queue.async { completion(.success(count)) }
        }
    }

    func load() async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            load { continuation.resume(with: $0) }
        }
    }
}
