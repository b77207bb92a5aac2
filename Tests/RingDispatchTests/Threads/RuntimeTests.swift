import Testing

@testable import RingDispatch

@Suite("A runtime of its own", .watchdog)
struct RuntimeTests {
    @Test("A blocked item does not stop the others", arguments: [1, 2, 8])
    func blocked(loops: Int) throws {
        let runtime = try TestRuntime(loops: loops)
        let (leave, left, ran) = (Gate(), Gate(), Watched(0))
        runtime.push {
            leave.pass()
            left.open()
        }
        for _ in 0..<100 { runtime.push { ran.increment() } }
        expectEventually(ran) { $0 == 100 }
        leave.open()
        expectOpens(left)
    }

    @Test("Items that wait for each other meet", arguments: [1, 2, 8])
    func meeting(loops: Int) throws {
        let runtime = try TestRuntime(loops: loops)
        let (inside, met) = (Watched(0), Watched(0))
        for _ in 0..<8 {
            runtime.push {
                inside.increment()
                if inside.wait(seconds: Patience.seconds, until: { $0 == 8 }) { met.increment() }
            }
        }
        expectEventually(met) { $0 == 8 }
    }

    @Test("Two runtimes keep their items apart, also what their items push to each other")
    func apart() throws {
        let runtimes = [try TestRuntime(loops: 1), try TestRuntime(loops: 3)]
        let (own, foreign) = (Watched(0), Watched(0))
        for number in 0..<200 {
            let (first, second) = (runtimes[number % 2], runtimes[1 - number % 2])
            first.push {
                (first.isCurrent ? own : foreign).increment()
                second.push { (second.isCurrent ? own : foreign).increment() }
            }
        }
        expectEventually(own) { $0 == 400 }
        #expect(foreign.value == 0)
    }
}

/// A runtime that closures can capture.
private final class TestRuntime: Sendable {
    private let runtime: Runtime

    init(loops: Int) throws {
        QueueLayer.install
        var configuration = try Configuration(variable: { _ in nil }, usableCPUs: loops)
        configuration.backend = Runtime.shared.configuration.backend
        runtime = try Runtime(configuration)
    }

    func push(_ body: @escaping @Sendable () -> Void) {
        let item = TestItem(body)
        let object = Unmanaged.passRetained(item).toOpaque()
        runtime.push(
            item.node.prepare(.object, priority: Priority.default, object: object), from: .current)
    }

    /// Whether the calling thread is one of its workers.
    var isCurrent: Bool { Context.current.pointee.worker?.pool === runtime.pool }
}

private final class TestItem: Runnable {
    let node = WorkItemNode()
    private let body: () -> Void

    init(_ body: @escaping () -> Void) {
        self.body = body
    }

    override func run(priority: UInt8, _ context: Context) -> Bool {
        body()
        return true
    }
}
