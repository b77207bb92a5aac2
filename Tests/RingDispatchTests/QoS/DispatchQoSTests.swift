import RingDispatch
import Testing

@Suite("DispatchQoS")
struct DispatchQoSTests {
    private static let classes: [(DispatchQoS.QoSClass, UInt32)] = [
        (.background, 0x09), (.utility, 0x11), (.default, 0x15), (.userInitiated, 0x19),
        (.userInteractive, 0x21), (.unspecified, 0x00),
    ]

    @Test("Classes have the C interface's values", arguments: classes)
    func rawValues(qosClass: DispatchQoS.QoSClass, rawValue: UInt32) {
        #expect(qosClass.rawValue == rawValue)
        #expect(DispatchQoS.QoSClass(rawValue: rawValue) == qosClass)
    }

    @Test("Other values name no class", arguments: [1, 0x0a, 0x22, .max] as [UInt32])
    func unknownRawValue(rawValue: UInt32) {
        #expect(DispatchQoS.QoSClass(rawValue: rawValue) == nil)
    }

    @Test("The constants name their classes, with relative priority 0")
    func constants() {
        #expect(DispatchQoS.background.qosClass == .background)
        #expect(DispatchQoS.utility.qosClass == .utility)
        #expect(DispatchQoS.default.qosClass == .default)
        #expect(DispatchQoS.userInitiated.qosClass == .userInitiated)
        #expect(DispatchQoS.userInteractive.qosClass == .userInteractive)
        #expect(DispatchQoS.unspecified.qosClass == .unspecified)
        #expect(DispatchQoS.utility.relativePriority == 0)
    }

    @Test("Equality compares class and relative priority")
    func equality() {
        let qos = DispatchQoS(qosClass: .utility, relativePriority: -4)
        #expect(qos == DispatchQoS(qosClass: .utility, relativePriority: -4))
        #expect(qos != .utility)
        #expect(qos != DispatchQoS(qosClass: .default, relativePriority: -4))
    }

    @Test("77. Each class has its run queue, in the order of urgency")
    func priorityIndex() {
        let order: [DispatchQoS.QoSClass] = [
            .background, .utility, .default, .userInitiated, .userInteractive,
        ]
        #expect(order.map(\.priorityIndex) == Array(0...4))
        #expect(DispatchQoS.QoSClass.unspecified.priorityIndex == 2)
    }

    @Test("Work-item flags have the C interface's values")
    func flags() {
        let flags: [DispatchWorkItemFlags] = [
            .barrier, .detached, .assignCurrentContext, .noQoS, .inheritQoS, .enforceQoS,
        ]
        #expect(flags.map(\.rawValue) == [0x1, 0x2, 0x4, 0x8, 0x10, 0x20])
        #expect(DispatchWorkItemFlags([.barrier, .noQoS]).rawValue == 0x9)
        #expect(DispatchWorkItemFlags([.barrier, .noQoS]).contains(.barrier))
    }
}
