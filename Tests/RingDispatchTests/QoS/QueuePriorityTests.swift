import Glibc
import RingDispatch
import Testing

/// The QoS class that counts: the item's, the queue's or the target's.
@Suite("Classes of queues and items", .watchdog, .serialized)
struct QueuePriorityTests {
    @Test("10. The queue's class wins over that of a global target")
    func overGlobalTarget() {
        let queue = DispatchQueue(
            label: "class.own", qos: .userInitiated, target: .global(qos: .background))
        #expect(queue.qos == .userInitiated)
        #expect(!runsInBackground(queue))
        let background = DispatchQueue(
            label: "class.background", qos: .background, target: .global(qos: .userInitiated))
        #expect(background.qos == .background)
        #expect(runsInBackground(background))
    }

    @Test("10. On a private target the queue keeps its class, but the target's decides")
    func underPrivateTarget() {
        let background = DispatchQueue(label: "class.target", qos: .background)
        let queue = DispatchQueue(label: "class.above", qos: .userInitiated, target: background)
        #expect(queue.qos == .userInitiated)
        #expect(runsInBackground(queue))
    }

    @Test("77. A queue without a class has its target's")
    func unspecified() {
        let queue = DispatchQueue(label: "class.none", target: .global(qos: .background))
        #expect(queue.qos == .unspecified)
        #expect(runsInBackground(queue))
        let above = DispatchQueue(label: "class.none.above", target: queue)
        #expect(runsInBackground(above))
    }

    /// In a process with one loop and one unblocked worker, where only the library decides the
    /// order: no other worker takes the loop over during the submission, however long it takes. All
    /// queues are idle when their items arrive.
    @Test("76. The queue's class wins over the item's, unless the item enforces its own")
    func itemClass() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            setenv("RINGDISPATCH_WORKERS", "2", 1)
            let (isBlocked, leave) = (Gate(), Gate())
            DispatchQueue(label: "blocked").async {
                isBlocked.open()
                leave.pass()
            }
            expectOpens(isBlocked)
            let order = Watched<[String]>([])
            @Sendable func submit(
                _ name: String, on queueQoS: DispatchQoS, _ qos: DispatchQoS,
                _ flags: DispatchWorkItemFlags
            ) {
                DispatchQueue(label: name, qos: queueQoS)
                    .async(qos: qos, flags: flags) { order.append(name) }
            }
            // Submitted from the loop's own thread, which runs none of them before it returns.
            DispatchQueue(label: "start").async {
                submit("utility", on: .utility, .unspecified, [])
                submit("inherits", on: .utility, .userInteractive, .inheritQoS)
                submit("stripped", on: .unspecified, .userInteractive, .noQoS)
                submit("own", on: .unspecified, .userInitiated, [])
                submit("enforced", on: .utility, .userInteractive, .enforceQoS)
                submit("not lowered", on: .userInteractive, .utility, .enforceQoS)
            }
            _ = order.wait(seconds: Patience.seconds) { $0.count == 6 }
            leave.open()
            #expect(
                order.value == [
                    "enforced", "not lowered", "own", "stripped", "utility", "inherits",
                ])
        }
    }

    @Test(
        "76. An item that enforces its class runs on the global queue that it was submitted to",
        arguments: [.utility, .default, .userInitiated] as [DispatchQoS.QoSClass])
    func enforcedOnGlobalQueue(qos: DispatchQoS.QoSClass) {
        let queue = DispatchQueue.global(qos: qos)
        let labels = Watched<[String]>([])
        queue.async(qos: .userInteractive, flags: .enforceQoS) {
            dispatchPrecondition(condition: .onQueue(queue))
            dispatchPrecondition(condition: .notOnQueue(.global(qos: .userInteractive)))
            labels.append(DispatchQueue.currentLabel)
        }
        expectEventually(labels) { $0 == [queue.label] }
    }

    /// A thread has the CPU priority of the one that made it.
    @Test("78. What a background item submits to an ordinary queue runs with the usual priority")
    func submittedFromBackground() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let found = Watched<[Int32]>([])
            DispatchQueue.global(qos: .background).async {
                submitOverlapping(found)
            }
            expectEventually(found) { $0.count == 20 }
            #expect(Set(found.value) == [0])
        }
    }

    @Test("78. A file that a background item writes first leaves ordinary threads their priority")
    func fileOfBackground() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let folder = Folder()
            let file = folder.makeFile("file")
            let found = Watched<[Int32]>([])
            DispatchQueue.global(qos: .background).async {
                let channel = DispatchIO(
                    type: .stream, path: file, oflag: O_WRONLY, mode: 0, queue: .global()
                ) { _ in }
                channel?.write(
                    offset: 0, data: [1, 2, 3].withUnsafeBytes { DispatchData(bytes: $0) },
                    queue: .global(qos: .userInteractive)
                ) { isDone, _, error in
                    #expect(error == 0)
                    if isDone { found.append(niceness()) }
                }
            }
            expectEventually(found) { $0 == [0] }
            withExtendedLifetime(folder) {}
            for thread in threadIdentifiers() {
                guard processStatus("Name", of: "self/task/\(thread)") == "ring-files" else {
                    continue
                }
                #expect(niceness(of: thread) == 0)
            }
        }
    }

    @Test("78. A thread of low priority makes no workers of low priority")
    func submittedFromSlowThread() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            drain(DispatchQueue(label: "qos.first"))
            let found = Watched<[Int32]>([])
            let thread = UserThread {
                lowerPriority()
                submitOverlapping(found)
            }
            #expect(thread.join())
            expectEventually(found) { $0.count == 20 }
            #expect(Set(found.value) == [0])
        }
    }

    @Test("Items run if the library's first user has a low priority")
    func slowFirstUser() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let found = Watched<[Int32]>([])
            let thread = UserThread {
                lowerPriority()
                submitOverlapping(found)
            }
            #expect(thread.join())
            expectEventually(found) { $0.count == 20 }
        }
    }

    @Test(
        "Workers are made although the main thread has a higher priority than the others",
        .enabled(if: geteuid() == 0, "only root can raise a priority"))
    func fastMainThread() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            drain(DispatchQueue(label: "qos.first"))
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid()), -5)
            let inside = Watched(0)
            let leave = Gate()
            for _ in 0..<20 {
                DispatchQueue.global().async {
                    inside.increment()
                    leave.pass()
                }
            }
            expectEventually(inside) { $0 == 20 }
            leave.open()
        }
    }

    /// Whether the queue's items run on threads of lower priority than this one.
    private func runsInBackground(_ queue: DispatchQueue) -> Bool {
        let found = Watched<Int32?>(nil)
        queue.async { found.update { $0 = niceness() } }
        expectEventually(found) { $0 != nil }
        return found.value == 19
    }
}

/// Submits 20 items to a global queue, which note the nice values of their threads. They overlap,
/// so that several workers run them.
private func submitOverlapping(_ found: Watched<[Int32]>) {
    for _ in 0..<20 {
        DispatchQueue.global().async {
            found.append(niceness())
            letTimePass(milliseconds: 20)
        }
    }
}

private func lowerPriority() {
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(currentThreadIdentifier()), 19)
}

private func niceness(of thread: Int32 = currentThreadIdentifier()) -> Int32 {
    getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(thread))
}
