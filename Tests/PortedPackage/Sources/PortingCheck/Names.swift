import Foundation

/// The types of GCD's Swift interface on Linux, by name, and what they are in this module.
private let types: [(name: String, type: Any.Type)] = [
    ("DispatchData", DispatchData.self),
    ("DispatchDataIterator", DispatchDataIterator.self),
    ("DispatchGroup", DispatchGroup.self),
    ("DispatchIO", DispatchIO.self),
    ("DispatchObject", DispatchObject.self),
    ("DispatchPredicate", DispatchPredicate.self),
    ("DispatchQoS", DispatchQoS.self),
    ("DispatchQueue", DispatchQueue.self),
    ("DispatchSemaphore", DispatchSemaphore.self),
    ("DispatchSource", DispatchSource.self),
    ("DispatchSourceProtocol", DispatchSourceProtocol.self),
    ("DispatchSourceRead", DispatchSourceRead.self),
    ("DispatchSourceSignal", DispatchSourceSignal.self),
    ("DispatchSourceTimer", DispatchSourceTimer.self),
    ("DispatchSourceUserDataAdd", DispatchSourceUserDataAdd.self),
    ("DispatchSourceUserDataOr", DispatchSourceUserDataOr.self),
    ("DispatchSourceUserDataReplace", DispatchSourceUserDataReplace.self),
    ("DispatchSourceWrite", DispatchSourceWrite.self),
    ("DispatchSpecificKey", DispatchSpecificKey<Int>.self),
    ("DispatchTime", DispatchTime.self),
    ("DispatchTimeInterval", DispatchTimeInterval.self),
    ("DispatchTimeoutResult", DispatchTimeoutResult.self),
    ("DispatchWallTime", DispatchWallTime.self),
    ("DispatchWorkItem", DispatchWorkItem.self),
    ("DispatchWorkItemFlags", DispatchWorkItemFlags.self),
]

/// Names that RingDispatch does not have: here they mean libdispatch's, and would not work together
/// with the rest.
private let missing: Set = [
    "DispatchData", "DispatchDataIterator", "DispatchIO", "DispatchSourceSignal",
]

func checkNames() {
    for (name, type) in types {
        let module = missing.contains(name) ? "Dispatch" : "RingDispatch"
        let isOurs = String(reflecting: type).hasPrefix("\(module).\(name)")
        expect(isOurs, true, "\(name), which is \(String(reflecting: type))")
    }
}
