import Glibc
import RingDispatch
import Testing

/// The program closes a descriptor before its source is cancelled, which it must not do, and a
/// duplicate keeps the file open. Then the kernel goes on to report the file. In child processes,
/// which measure their CPU time.
@Suite("Descriptors that are closed while sources wait for them", .watchdog, .serialized)
struct LostDescriptorTests {
    @Test("The loop does not spin, and other sources go on")
    func closed() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let (channel, other) = (Channel(.socketPair), Channel(.socketPair))
            let number = fcntl(channel.near, F_DUPFD_CLOEXEC, 900)
            let source = makeReader(number)
            let received = Watched(0)
            let otherSource = DispatchSource.makeReadSource(
                fileDescriptor: other.near, queue: DispatchQueue(label: "lost.other"))
            let otherCancelled = activate(otherSource) {
                received.increment(by: readAll(from: other.near).count)
            }
            close(number)
            write(1, to: channel.far)
            expectEventually(source.calls) { $0 > 0 }
            expectIdle()
            write(1, to: other.far)
            expectEventually(received) { $0 == 1 }
            finish(source.source, source.cancelled)
            expectIdle()
            finish(otherSource, otherCancelled)
        }
    }

    @Test("A source of the number's next file gets its events, and not those of the old file")
    func reopened() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let (channel, next) = (Channel(.socketPair), Channel(.socketPair))
            let (number, old) = makeReplaced(channel, by: next)
            let new = makeReader(number)
            write(1, to: channel.far)
            expectIdle()
            #expect(new.calls.value == 0)
            // Both are called now, and either may read the byte.
            write(1, to: next.far)
            expectEventually(new.calls) { $0 > 0 }
            expectIdle()
            finish(old.source, old.cancelled)
            let before = new.bytes.value
            write(1, to: next.far)
            expectEventually(new.bytes) { $0 == before + 1 }
            finish(new.source, new.cancelled)
            close(number)
        }
    }

    @Test("A source that is cancelled too late leaves nothing behind for the number's next file")
    func cancelledLate() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            setenv("RINGDISPATCH_LOOPS", "1", 1)
            let (channel, next) = (Channel(.socketPair), Channel(.socketPair))
            let (number, old) = makeReplaced(channel, by: next)
            finish(old.source, old.cancelled)
            let new = makeReader(number)
            write(1, to: channel.far)
            expectIdle()
            #expect(new.calls.value == 0)
            write(1, to: next.far)
            expectEventually(new.bytes) { $0 == 1 }
            expectIdle()
            finish(new.source, new.cancelled)
            close(number)
        }
    }

    @Test("A program that closes the library's own descriptors ends with a message")
    func closedLibrary() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            letTasksHaveTheirDescriptors()
            let before = openNumbers()
            let queue = DispatchQueue(label: "lost.all")
            drain(queue)
            for number in openNumbers() where !before.contains(number) { close(number) }
            for _ in 0..<10 {
                drain(queue)
                letTimePass(milliseconds: 20)
            }
        }
        expectMessage(result, naming: "closed", "descriptor", "Bad file descriptor")
    }
}

private func openNumbers() -> [Int32] { (0..<256).filter { fcntl($0, F_GETFD) >= 0 } }

private struct Reader {
    let source: any DispatchSourceRead
    let calls: Watched<Int>
    let bytes: Watched<Int>
    let cancelled: Gate
}

/// A source that waits already, and reads all bytes when it is called.
private func makeReader(_ descriptor: Int32) -> Reader {
    let source = DispatchSource.makeReadSource(
        fileDescriptor: descriptor, queue: DispatchQueue(label: "lost"))
    let (calls, bytes) = (Watched(0), Watched(0))
    source.setEventHandler {
        calls.increment()
        bytes.increment(by: readAll(from: descriptor).count)
    }
    let cancelled = activate(source)
    return Reader(source: source, calls: calls, bytes: bytes, cancelled: cancelled)
}

/// A source that waits for a duplicate of one file, whose number then names the other file.
private func makeReplaced(_ channel: Channel, by next: Channel) -> (number: Int32, Reader) {
    let number = fcntl(channel.near, F_DUPFD_CLOEXEC, 900)
    let old = makeReader(number)
    #expect(dup2(next.near, number) == number)
    return (number, old)
}
