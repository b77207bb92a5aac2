import Dispatch
import Foundation
import Ported
import PortedInside
import PortedStrictly
import Unported

func checkModules() {
    expect(Pulse.module, "RingDispatch.DispatchQueue", "PortedStrictly")
    expect(Tally.module, "RingDispatch.DispatchQueue", "PortedInside")
    expect(Unported.module, "Dispatch.DispatchQueue", "Unported")
    expect(Caller.module, "Dispatch.DispatchQueue", "Caller")
}

func checkMailbox() {
    let queue = DispatchQueue(label: "mailbox", attributes: .concurrent)
    let mailbox = Mailbox(queue: queue)
    let group = DispatchGroup()
    for index in 0..<100 { mailbox.post("letter \(index)", group: group) }
    expect(group.wait(timeout: .now() + 30), .success, "posting")
    Caller.post("one more", to: mailbox)
    let counted = DispatchSemaphore(value: 0)
    let count = Box(0)
    mailbox.count(at: .now()) {
        count.value = $0
        counted.signal()
    }
    expect(counted.wait(timeout: .now() + .seconds(30)), .success, "counting")
    expect(count.value, 101, "letters")
    var runs = 0
    queue.twice { runs += 1 }
    expect(runs, 2, "runs")
    queue.sync { Mailbox.check(queue) }
    expect(DispatchQoS.QoSClass.userInitiated.isUrgent, true, "an extension's member")
    let timer = mailbox.poll(on: queue)
    timer.setEventHandler { counted.signal() }
    timer.resume()
    expect(counted.wait(timeout: .distantFuture), .success, "polling")
    timer.cancel()
}

func checkPulse() {
    let fired = DispatchSemaphore(value: 0)
    let pulse = Pulse(interval: 0.001) { _ in fired.signal() }
    for _ in 0..<3 { expect(fired.wait(timeout: .now() + 30), .success, "a fire") }
    let stopped = DispatchGroup()
    pulse.stop(notifying: stopped)
    expect(stopped.wait(timeout: .now() + 30), .success, "the timer's end")
}

func checkTally() {
    let tally = Tally()
    for _ in 0..<100 { tally.add(1) }
    let added = DispatchSemaphore(value: 0)
    tally.add(900, in: 0.001) { added.signal() }
    expect(added.wait(timeout: .now() + 30), .success, "adding later")
    expect(Unported.count(tally), 1000, "tally")
}

/// A variable that a semaphore or a queue protects.
final class Box<Value>: @unchecked Sendable {
    // Safety: written before a signal, and read after the wait for it.
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
