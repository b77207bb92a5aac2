import Glibc
import RingDispatch
import Testing

extension IOTests {
    @Suite("Close, cleanup and barriers")
    struct Closing {
        private let queue = DispatchQueue(label: "io.close")

        @Test("87. The cleanup handler waits for all channels of the descriptor")
        func cleanupOfAll() {
            let pair = Channel(.socketPair)
            let (first, firstCleanup) = open(.stream, pair.near)
            let (second, secondCleanup) = open(.stream, pair.near)
            let thirdCleanup = Cleanup()
            let third = DispatchIO(
                type: .stream, io: first, queue: queue, cleanupHandler: thirdCleanup.handler)
            #expect(third.fileDescriptor == pair.near)
            first.close()
            second.close()
            firstCleanup.expectSilence()
            secondCleanup.expectSilence()
            third.close()
            firstCleanup.expect()
            secondCleanup.expect()
            thirdCleanup.expect()
        }

        @Test("87. The cleanup handler runs on its queue, after the handlers have returned")
        func cleanupIsLast() {
            let pair = Channel(.socketPair)
            let order = Watched<[String]>([])
            let channel = DispatchIO(
                type: .stream, fileDescriptor: pair.near, queue: queue
            ) { [queue] code in
                dispatchPrecondition(condition: .onQueue(queue))
                order.append("cleanup \(code)")
            }
            for index in 0..<3 {
                let own = DispatchQueue(label: "io.\(index)")
                channel.write(offset: 0, data: copied([1]), queue: own) { done, _, _ in
                    letTimePass(milliseconds: 5)
                    if done { order.append("write") }
                }
            }
            channel.close()
            expectEventually(order) { $0.count == 4 }
            #expect(order.value.last == "cleanup 0")
        }

        @Test(
            "87. O_NONBLOCK is as before once the cleanup handler is called",
            arguments: [
                "/dev/ptmx", "pipe",
            ])
        func flagsAreRestored(kind: String) {
            var pair: [Int32] = [-1, -1]
            let isPipe = kind == "pipe"
            if isPipe { pipe(&pair) } else { pair[0] = Glibc.open(kind, O_RDWR | O_NOCTTY) }
            let descriptor = pair[0]
            let before = fcntl(descriptor, F_GETFL)
            #expect(before & O_NONBLOCK == 0)
            let (channel, cleanup) = open(.stream, descriptor)
            let read = channel.read(10, on: queue)
            read.expectSilence()
            channel.close(flags: .stop)
            #expect(read.finish() == [.done(nil, ECANCELED)])
            cleanup.expect()
            #expect(fcntl(descriptor, F_GETFL) == before)
            for descriptor in pair where descriptor >= 0 { close(descriptor) }
        }

        @Test("88. Close lets operations under way finish")
        func closeWaits() {
            let (pair, channel, cleanup) = openPair()
            let read = channel.read(5, on: queue)
            channel.close()
            channel.close()
            #expect(channel.fileDescriptor == -1)
            let late = channel.write(copied([9]), on: queue)
            #expect(late.finish() == [.done([9], ECANCELED)])
            cleanup.expectSilence()
            #expect(writeAll(countingBytes(5), to: pair.far))
            #expect(read.finish() == [.done(countingBytes(5))])
            cleanup.expect()
        }

        @Test("88. Close with .stop aborts with ECANCELED, also the operations of a closed channel")
        func stop() {
            let (pair, channel, cleanup) = openPair()
            let reads = (0..<5).map { _ in channel.read(5, on: queue) }
            #expect(writeAll(countingBytes(7), to: pair.far))
            reads[1].expectBytes(2)
            channel.close()
            reads[4].expectSilence()
            channel.close(flags: .stop)
            channel.close(flags: .stop)
            #expect(reads[0].finish() == [.done(countingBytes(5))])
            #expect(
                reads[1].finish() == [.part(countingBytes(2, from: 5)), .done(nil, ECANCELED)])
            for read in reads[2...] { #expect(read.finish() == [.done(nil, ECANCELED)]) }
            cleanup.expect()
        }

        @Test("88. A path whose channel is stopped while it is opened is closed again")
        func stopOfOpening() {
            let path = "/tmp/ring-io-\(getpid())-\(UInt32.random(in: 0 ... .max))"
            for round in 0..<200 {
                let cleanup = Cleanup()
                let channel = DispatchIO(
                    type: .stream, path: path, oflag: O_RDWR | O_CREAT | O_TRUNC, mode: 0o600,
                    queue: queue, cleanupHandler: cleanup.handler)
                guard let channel else { return #expect(Bool(false), "no channel") }
                channel.read(offset: 0, length: 1, queue: queue) { _, _, _ in }
                for _ in 0..<round % 5 { sched_yield() }
                channel.close(flags: .stop)
                cleanup.expect()
                // Nothing is opened, or truncated, after the cleanup handler.
                let file = Glibc.open(path, O_WRONLY | O_CREAT, 0o600)
                #expect(write(file, "x", 1) == 1)
                Glibc.close(file)
                #expect(!openPaths().contains(path), "round \(round)")
                var facts = stat()
                #expect(stat(path, &facts) == 0 && facts.st_size == 1)
                unlink(path)
            }
        }

        /// The paths of this process's descriptors.
        private func openPaths() -> [String] {
            (0..<1024).map { linkTarget("/proc/self/fd/\($0)") }
        }

        @Test("88. A stop of one channel leaves those of others alone")
        func stopOfOne() {
            let pair = Channel(.socketPair)
            let (first, firstCleanup) = open(.stream, pair.near)
            let (second, secondCleanup) = open(.stream, pair.near)
            let stopped = first.read(5, on: queue)
            let other = second.read(5, on: queue)
            first.close(flags: .stop)
            #expect(stopped.finish() == [.done(nil, ECANCELED)])
            #expect(writeAll(countingBytes(5), to: pair.far))
            #expect(other.finish() == [.done(countingBytes(5))])
            second.close()
            firstCleanup.expect()
            secondCleanup.expect()
        }

        @Test("A stop ends the reading of a file whose handler is late")
        func stopOfFile() {
            let folder = Folder()
            let bytes = patternBytes(6_000_000)
            let descriptor = Glibc.open(folder.makeFile("file", bytes), O_RDONLY)
            let (channel, cleanup) = open(.stream, descriptor)
            let (read, begun, gate) = (Transfer(), Gate(), Gate())
            channel.read(offset: 0, length: .max, queue: queue) { done, data, error in
                begun.open()
                gate.pass()
                read.handler(done, data, error)
            }
            expectOpens(begun)
            channel.close(flags: .stop)
            gate.open()
            #expect(read.finish().last == .done(nil, ECANCELED))
            #expect(read.bytes == Array(bytes.prefix(read.bytes.count)))
            #expect(read.bytes.count < 5_000_000)
            cleanup.expect()
            #expect(lseek(descriptor, 0, SEEK_CUR) == read.bytes.count)
            close(descriptor)
        }

        @Test("A released channel finishes its submitted operations, and cleans up")
        func dropped() {
            let pair = Channel(.socketPair)
            let (read, cleanup) = (Transfer(), Cleanup())
            do {
                let channel = DispatchIO(
                    type: .stream, fileDescriptor: pair.near, queue: queue,
                    cleanupHandler: cleanup.handler)
                channel.read(offset: 0, length: 3, queue: queue, ioHandler: read.handler)
            }
            cleanup.expectSilence()
            #expect(writeAll([1, 2, 3], to: pair.far))
            #expect(read.finish() == [.done([1, 2, 3])])
            cleanup.expect()
        }

        @Test("A channel made from a closed one is cancelled")
        func fromClosed() {
            let pair = Channel(.socketPair)
            let (first, firstCleanup) = open(.stream, pair.near)
            first.close()
            firstCleanup.expect()
            let cleanup = Cleanup()
            let second = DispatchIO(
                type: .stream, io: first, queue: queue, cleanupHandler: cleanup.handler)
            cleanup.expect(ECANCELED)
            let read = second.read(1, on: queue)
            #expect(read.finish() == [.done(nil, ECANCELED)])
            #expect(second.fileDescriptor == -1)
            second.close()
        }

        @Test("92. A barrier runs after earlier operations of all channels and before later ones")
        func barrier() {
            let pair = Channel(.socketPair)
            let (first, firstCleanup) = open(.stream, pair.near)
            let (second, secondCleanup) = open(.stream, pair.near)
            let order = Watched<[String]>([])
            func read(_ channel: DispatchIO, _ name: String) {
                channel.read(offset: 0, length: 2, queue: queue) { done, _, error in
                    #expect(error == 0)
                    if done { order.append(name) }
                }
            }
            read(first, "a")
            read(second, "b")
            first.barrier {
                #expect(first.fileDescriptor == pair.near)
                letTimePass(milliseconds: 5)
                order.append("barrier 1")
            }
            second.barrier { order.append("barrier 2") }
            read(second, "c")
            read(first, "d")
            let write = first.write(copied([1]), on: queue)
            #expect(writeAll(countingBytes(2), to: pair.far))
            expectEventually(order) { $0 == ["a"] }
            write.expectSilence()
            #expect(order.value == ["a"])
            #expect(writeAll(countingBytes(6), to: pair.far))
            expectEventually(order) { $0 == ["a", "b", "barrier 1", "barrier 2", "c", "d"] }
            write.finish()
            first.close()
            second.close()
            firstCleanup.expect()
            secondCleanup.expect()
        }

        @Test("92. A barrier of a file sees what was written before it")
        func barrierOfFile() {
            let folder = Folder()
            let path = folder.makeFile("file", [])
            let descriptor = Glibc.open(path, O_RDWR)
            let (channel, cleanup) = open(.random, descriptor)
            let sizes = Watched<[Int]>([])
            for index in 0..<20 {
                for part in 0..<5 {
                    channel.write(
                        offset: 5000 * index + 1000 * part, data: copied(countingBytes(1000)),
                        queue: queue
                    ) { _, _, error in #expect(error == 0) }
                }
                channel.barrier {
                    #expect(fsync(channel.fileDescriptor) == 0)
                    sizes.append(contents(ofFile: path).count)
                }
            }
            expectEventually(sizes) { $0.count == 20 }
            #expect(sizes.value == (1...20).map { 5000 * $0 })
            finish(channel, cleanup)
            close(descriptor)
        }

        @Test("A barrier on an idle or a closed channel runs")
        func barrierAlone() {
            let pair = Channel(.socketPair)
            let (channel, cleanup) = open(.stream, pair.near)
            let (idle, closed) = (Gate(), Gate())
            channel.barrier { idle.open() }
            expectOpens(idle)
            finish(channel, cleanup)
            channel.barrier { closed.open() }
            expectOpens(closed)
        }

        @Test("A suspended channel holds operations back until it is resumed")
        func suspended() {
            let pair = Channel(.socketPair)
            let (channel, cleanup) = open(.stream, pair.near)
            let barrier = Gate()
            channel.suspend()
            channel.suspend()
            let write = channel.write(copied([1]), on: queue)
            channel.barrier { barrier.open() }
            channel.resume()
            write.expectSilence()
            #expect(!barrier.wasOpened)
            channel.resume()
            #expect(write.finish() == [.done(nil)])
            expectOpens(barrier)
            finish(channel, cleanup)
        }

        @Test("What is written while a channel resumes follows what it held")
        func resumedOrder() {
            let pipe = Channel(.pipe)
            let (channel, cleanup) = open(.stream, pipe.far)
            let last = Transfer()
            channel.suspend()
            let held = (0..<2000).map { _ in channel.write(copied([1]), on: queue) }
            let thread = UserThread {
                var first = pollfd(fd: pipe.near, events: Int16(POLLIN), revents: 0)
                _ = Glibc.poll(&first, 1, -1)
                channel.write(
                    offset: 0, data: copied([2]), queue: DispatchQueue(label: "io.last"),
                    ioHandler: last.handler)
            }
            channel.resume()
            #expect(thread.join())
            for write in held + [last] { #expect(write.finish() == [.done(nil)]) }
            finish(channel, cleanup)
            var bytes = [UInt8](repeating: 0, count: held.count + 1)
            #expect(Glibc.read(pipe.near, &bytes, bytes.count) == bytes.count)
            #expect(bytes.firstIndex(of: 2) == held.count)
        }

        @Test("Barriers run on the channel's target queue")
        func barrierTarget() {
            let pair = Channel(.socketPair)
            let (channel, cleanup) = open(.stream, pair.near)
            let ran = Gate()
            channel.setTarget(queue: queue)
            channel.barrier { [queue] in
                dispatchPrecondition(condition: .onQueue(queue))
                ran.open()
            }
            expectOpens(ran)
            finish(channel, cleanup)
        }
    }
}
