import Glibc
import RingDispatch
import Testing

extension IOTests {
    @Suite("Stress")
    struct Stress {
        /// An echo on both ends, whose peers close, stop or drop their channels at any moment.
        @Test("Channels that are stopped, closed and dropped while their peers do the same")
        func churn() {
            let ended = Watched(0)
            let rounds = 60
            var generator = SeededGenerator(seed: 11)
            for _ in 0..<rounds {
                let pair = Channel(Bool.random(using: &generator) ? .socketPair : .pipe)
                let (reader, writer) = (pair.near, pair.far)
                let queue = DispatchQueue(label: "io.churn")
                let left = Watched(2)
                // The descriptors are closed by the second cleanup.
                let cleanup: @Sendable (Int32) -> Void = { code in
                    #expect(code == 0)
                    if left.increment(by: -1) == 0 {
                        withExtendedLifetime(pair) {}
                        ended.increment()
                    }
                }
                let source = DispatchIO(
                    type: .stream, fileDescriptor: reader, queue: queue,
                    cleanupHandler: cleanup)
                let sink = DispatchIO(
                    type: .stream, fileDescriptor: writer, queue: .global(),
                    cleanupHandler: cleanup)
                for _ in 0..<Int.random(in: 1...5, using: &generator) {
                    source.read(
                        offset: 0, length: Int.random(in: 1...200_000, using: &generator),
                        queue: Bool.random(using: &generator) ? queue : .global(),
                        ioHandler: Transfer().handler)
                    sink.write(
                        offset: 0,
                        data: copied(
                            patternBytes(Int.random(in: 1...300_000, using: &generator))),
                        queue: Bool.random(using: &generator) ? queue : .global(),
                        ioHandler: Transfer().handler)
                }
                if Bool.random(using: &generator) { source.barrier {} }
                let pause = Int.random(in: 0...2000, using: &generator)
                let isDropped = Bool.random(using: &generator)
                queue.asyncAfter(deadline: .now() + .microseconds(pause)) {
                    if isDropped { sink.barrier {} }
                    source.close(flags: .stop)
                    sink.close(flags: .stop)
                }
            }
            expectEventually(ended) { $0 == rounds }
        }

        @Test("A channel is stopped while its read begins to wait for bytes that never come")
        func stopped() {
            let queue = DispatchQueue(label: "io.stop")
            for round in 0..<3000 {
                let pair = Channel(.socketPair)
                let (channel, cleanup) = open(.stream, pair.near)
                let started = Watched(false)
                queue.async {
                    started.update { $0 = true }
                    for _ in 0..<round % 300 { _ = clock() }
                    channel.close(flags: .stop)
                }
                while !started.value {}
                _ = channel.read(10, on: .global())
                cleanup.expect()
            }
        }

        @Test("Many threads read and write one channel; all bytes arrive, none twice")
        func manyThreads() {
            let pair = Channel(.socketPair)
            let (source, sourceCleanup) = open(.stream, pair.near)
            let (sink, sinkCleanup) = open(.stream, pair.far)
            let (threads, each) = (4, 200)
            let sums = Watched<[UInt8: Int]>([:])
            let done = Watched(0)
            let queue = DispatchQueue(label: "io.sum")
            let users = (0..<threads).map { thread in
                UserThread {
                    for _ in 0..<each {
                        let data = copied([UInt8](repeating: UInt8(thread), count: 100))
                        sink.write(offset: 0, data: data, queue: .global()) {
                            isDone, _, error in
                            #expect(error == 0)
                            if isDone { done.increment() }
                        }
                        source.read(offset: 0, length: 100, queue: queue) {
                            isDone, data, error in
                            #expect(error == 0)
                            for byte in data ?? .empty {
                                sums.update { $0[byte, default: 0] += 1 }
                            }
                            if isDone { done.increment() }
                        }
                    }
                }
            }
            for user in users { #expect(user.join()) }
            expectEventually(done) { $0 == 2 * threads * each }
            #expect(sums.value.values.allSatisfy { $0 == 100 * each })
            #expect(sums.value.count == threads)
            source.close()
            sink.close()
            sourceCleanup.expect()
            sinkCleanup.expect()
        }

        @Test("Random reads of one file from many threads, some of which are stopped")
        func files() {
            let folder = Folder()
            let bytes = randomBytes(3_000_000, seed: 12)
            let path = folder.makeFile("file", bytes)
            let done = Watched(0)
            let users = (0..<4).map { thread in
                UserThread {
                    var generator = SeededGenerator(seed: UInt64(thread))
                    for round in 0..<20 {
                        let cleanup = Cleanup()
                        let channel = DispatchIO(
                            type: .random, path: path, oflag: O_RDONLY, mode: 0,
                            queue: .global(), cleanupHandler: cleanup.handler)!
                        for _ in 0..<5 {
                            let offset = Int.random(in: 0..<2_000_000, using: &generator)
                            let length = Int.random(in: 0..<900_000, using: &generator)
                            let read = Transfer()
                            channel.read(offset: offset, length: length, queue: .global()) {
                                isDone, data, error in
                                read.handler(isDone, data, error)
                                guard isDone else { return }
                                let got = read.bytes
                                #expect(got == Array(bytes[offset...].prefix(got.count)))
                                #expect(error == ECANCELED || got.count == length)
                                done.increment()
                            }
                        }
                        channel.close(flags: round % 3 == 0 ? .stop : [])
                        cleanup.expect()
                    }
                }
            }
            for user in users { #expect(user.join()) }
            expectEventually(done) { $0 == 4 * 20 * 5 }
        }
    }
}
