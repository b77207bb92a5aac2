import Foundation

/// The types of GCD's Swift interface by name, and their types in this module.
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
    ("DispatchSourceFileSystemObject", DispatchSourceFileSystemObject.self),
    ("DispatchSourceProcess", DispatchSourceProcess.self),
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

func checkNames() {
    for (name, type) in types {
        let isOurs = String(reflecting: type).hasPrefix("RingDispatch.\(name)")
        expect(isOurs, true, "\(name), which is \(String(reflecting: type))")
    }
}
