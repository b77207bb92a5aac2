import Foundation

/// What a program mocks: `DispatchQueue` fulfils it on libdispatch, and needs a body here.
public protocol Dispatching {
    func async(
        group: DispatchGroup?, qos: DispatchQoS, flags: DispatchWorkItemFlags,
        execute work: @escaping @convention(block) () -> Void)
}

extension DispatchQueue: Dispatching {
    @_disfavoredOverload
    public func async(
        group: DispatchGroup?, qos: DispatchQoS, flags: DispatchWorkItemFlags,
        execute work: @escaping @convention(block) () -> Void
    ) {
        asyncUnsafe(group: group, qos: qos, flags: flags) { work() }
    }
}

func submit(to queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
    queue.async(group: nil, qos: .default, flags: [], execute: work)
    (queue as any Dispatching).async(group: nil, qos: .default, flags: [], execute: work)
}

// Foundation declares this for libdispatch's type.
extension DispatchData: @retroactive DataProtocol, @retroactive ContiguousBytes {}

func copy(_ data: DispatchData) -> Data {
    let first: DispatchData.Region? = data.regions.first
    return Data(first ?? .empty) + Data(data)
}
