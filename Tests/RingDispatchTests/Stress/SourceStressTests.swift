import Glibc
import RingDispatch
import Testing

@Suite("Sources under stress", .watchdog, .serialized)
struct SourceStressTests {
    /// A connection that echoes, with its own queue, until its peer closes.
    private func echo(_ descriptor: Int32, number: Int, ended: Watched<Int>) {
        let queue = DispatchQueue(label: "stress.echo.\(number)")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(descriptor, &bytes, bytes.count)
            if count > 0 {
                _ = send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
            } else if count == 0 || errno != EAGAIN {
                source.cancel()
            }
        }
        source.setCancelHandler {
            close(descriptor)
            ended.increment()
        }
        source.activate()
    }

    @Test("Descriptors that are cancelled, closed and opened again are never mixed up")
    func churn() {
        let ended = Watched(0)
        let threads = 4
        let rounds = 150
        let workers = (0..<threads).map { thread in
            UserThread {
                for round in 0..<rounds {
                    var pair: [Int32] = [-1, -1]
                    socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
                    _ = fcntl(pair[0], F_SETFL, O_NONBLOCK)
                    echo(pair[0], number: thread * rounds + round, ended: ended)
                    // The answer must be the bytes sent to this pair.
                    var sent = UInt32(thread * rounds + round)
                    var answer: UInt32 = 0
                    _ = write(pair[1], &sent, 4)
                    var count = 0
                    // A signal of another test may interrupt it.
                    repeat {
                        count = recv(pair[1], &answer, 4, Int32(MSG_WAITALL))
                    } while count < 0 && errno == EINTR
                    #expect(count == 4 && answer == sent)
                    close(pair[1])
                }
            }
        }
        for worker in workers { #expect(worker.join(seconds: Patience.joinSeconds)) }
        expectEventually(ended) { $0 == threads * rounds }
    }

    @Test("A source that is cancelled while events arrive calls its cancel handler once, and last")
    func cancelAmongEvents() {
        let rounds = 200
        for round in 0..<rounds {
            let channel = Channel(.pipe)
            let queue = DispatchQueue(label: "stress.cancel.\(round)")
            let order = Unguarded((events: 0, isCancelled: false, late: 0))
            let cancelled = Gate()
            let source = DispatchSource.makeReadSource(
                fileDescriptor: channel.near, queue: queue)
            let near = channel.near
            source.setEventHandler {
                var byte: UInt8 = 0
                _ = read(near, &byte, 1)
                order.value.events += 1
                if order.value.isCancelled { order.value.late += 1 }
            }
            source.setCancelHandler {
                order.value.isCancelled = true
                channel.closeNear()
                cancelled.open()
            }
            source.activate()
            let far = channel.far
            let writer = UserThread {
                // The pipe's other end may be closed already.
                var blocked = sigset_t()
                sigemptyset(&blocked)
                sigaddset(&blocked, SIGPIPE)
                pthread_sigmask(SIG_BLOCK, &blocked, nil)
                var byte: UInt8 = 1
                for _ in 0..<20 { _ = write(far, &byte, 1) }
            }
            if round % 2 == 0 { queue.sync {} }
            source.cancel()
            #expect(writer.join())
            expectOpens(cancelled)
            queue.sync { #expect(order.value.late == 0) }
        }
    }

    @Test("Timers that are set, moved and cancelled from several threads end cleanly")
    func timers() {
        let fired = Watched(0)
        let cancelled = Watched(0)
        let workers = (0..<4).map { thread in
            UserThread {
                let queue = DispatchQueue(label: "stress.timer.\(thread)")
                for number in 0..<300 {
                    let timer = DispatchSource.makeTimerSource(queue: queue)
                    timer.setEventHandler { fired.increment() }
                    timer.setCancelHandler { cancelled.increment() }
                    timer.schedule(deadline: .now() + .microseconds(number % 60), repeating: 0.0001)
                    timer.activate()
                    timer.schedule(deadline: .now() + .microseconds(number % 40))
                    timer.suspend()
                    timer.resume()
                    timer.cancel()
                }
            }
        }
        for worker in workers { #expect(worker.join(seconds: Patience.joinSeconds)) }
        expectEventually(cancelled) { $0 == 1200 }
        let count = fired.value
        let last = Gate()
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { last.open() }
        expectOpens(last)
        #expect(fired.value == count)
        #expect(cancelled.value == 1200)
    }

    @Test("A read source may be dropped while it waits for its next event, which has come already")
    func droppedReaders() {
        let channel = Channel(.pipe)
        var byte: UInt8 = 1
        #expect(write(channel.far, &byte, 1) == 1)
        let near = channel.near
        let end = DispatchTime.now() + .seconds(10)
        onThreads(3, seconds: Patience.joinSeconds) { thread in
            let queue = DispatchQueue(label: "stress.dropped.\(thread)")
            let ended = Watched(0)
            var count = 0
            // On a busy machine each yield takes long, and fewer rounds must do.
            for round in 0..<1000 where .now() < end {
                count += 1
                let source = DispatchSource.makeReadSource(fileDescriptor: near, queue: queue)
                // Leaves the byte, so that each wait ends at once.
                source.setEventHandler {}
                source.setCancelHandler { ended.increment() }
                source.activate()
                for _ in 0..<round % 50 { sched_yield() }
                source.cancel()
            }
            expectEventually(ended) { $0 == count }
        }
    }

    @Test("A timer source may be dropped with its queue while it fires")
    func droppedTimers() {
        let end = DispatchTime.now() + .seconds(10)
        onThreads(3, seconds: Patience.joinSeconds) { _ in
            for round in 0..<1000 where .now() < end {
                let queue = DispatchQueue(label: "stress.dropped")
                let timer = DispatchSource.makeTimerSource(queue: queue)
                timer.setEventHandler {}
                timer.schedule(deadline: .now() + .microseconds(round % 50), repeating: 0.00001)
                timer.activate()
                queue.async { for _ in 0..<round % 20 { sched_yield() } }
            }
        }
    }
}
