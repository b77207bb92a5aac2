import Glibc
import RingDispatch
import Testing

extension IOTests {
    @Suite("Streams")
    struct Streams {
        private let queue = DispatchQueue(label: "io.stream")

        @Test("83. Reads of a stream are filled in order", arguments: Channel.Kind.allCases)
        func readsInOrder(kind: Channel.Kind) {
            let (pair, channel, cleanup) = openPair(kind)
            let reads = (0..<10).map { _ in channel.read(3, on: queue) }
            #expect(writeAll(countingBytes(30), to: pair.far))
            for (index, read) in reads.enumerated() {
                read.finish()
                #expect(read.bytes == countingBytes(3, from: 3 * index))
                #expect(read.error == 0)
            }
            finish(channel, cleanup)
        }

        @Test("83. Writes of a stream arrive in order", arguments: Channel.Kind.allCases)
        func writesInOrder(kind: Channel.Kind) {
            let pair = Channel(kind)
            let (channel, cleanup) = open(.stream, pair.far)
            let writes = (0..<50).map { _ in Transfer() }
            let bytes = patternBytes(250_000)
            for (index, write) in writes.enumerated() {
                let data = copied(Array(bytes[5000 * index..<5000 * index + 5000]))
                channel.write(offset: 0, data: data, queue: queue, ioHandler: write.handler)
            }
            channel.close()
            let read = Transfer()
            DispatchIO.readAll(pair.near, 250_000, read)
            read.finish()
            #expect(read.bytes == bytes)
            for write in writes { #expect(write.finish().last == .done(nil)) }
            cleanup.expect()
        }

        @Test("83. Reads do not wait for writes, nor writes for reads")
        func directionsAreParallel() {
            let (pair, channel, cleanup) = openPair()
            let read = channel.read(4, on: queue)
            // More than the socket's buffer holds, so that the write stays in progress.
            let big = copied([UInt8](repeating: 1, count: 4 << 20))
            let stuck = channel.write(big, on: queue)
            read.expectSilence()
            #expect(!stuck.isDone)
            #expect(writeAll([1, 2, 3, 4], to: pair.far))
            #expect(read.finish() == [.done([1, 2, 3, 4])])
            #expect(!stuck.isDone)
            channel.close(flags: .stop)
            #expect(stuck.finish().last?.error == ECANCELED)
            let small = channel.read(1, on: queue)
            #expect(small.finish() == [.done(nil, ECANCELED)])
            cleanup.expect()
        }

        @Test("84. Calls of one handler do not overlap on a concurrent queue, and keep their order")
        func orderOnConcurrentQueue() {
            let (pair, channel, cleanup) = openPair()
            let concurrent = DispatchQueue(label: "io.concurrent", attributes: .concurrent)
            channel.setLimit(highWater: 100)
            let read = channel.read(100_000, on: concurrent)
            var sent = 0
            while sent < 100_000 {
                #expect(writeAll(countingBytes(10_000, from: sent), to: pair.far))
                sent += 10_000
                read.expectBytes(sent)
            }
            #expect(read.finish().count >= 1000)
            #expect(read.bytes == countingBytes(100_000))
            finish(channel, cleanup)
        }

        @Test("84. The handler runs on its queue, and the last call is the only one that says done")
        func onQueue() {
            let (pair, channel, cleanup) = openPair()
            let read = Transfer()
            channel.read(offset: 0, length: 10, queue: queue) { [queue] done, data, error in
                dispatchPrecondition(condition: .onQueue(queue))
                read.handler(done, data, error)
            }
            #expect(writeAll(countingBytes(4), to: pair.far))
            read.expectBytes(4)
            #expect(writeAll(countingBytes(6, from: 4), to: pair.far))
            #expect(
                read.finish() == [.part(countingBytes(4)), .done(countingBytes(6, from: 4))])
            finish(channel, cleanup)
        }

        @Test(
            "85. The end is a last call with empty data and no error",
            arguments: Channel.Kind.allCases)
        func end(kind: Channel.Kind) {
            let (pair, channel, cleanup) = openPair(kind)
            let read = channel.read(.max, on: queue)
            #expect(writeAll([1, 2, 3], to: pair.far))
            read.expectBytes(3)
            pair.closeFar()
            #expect(read.finish() == [.part([1, 2, 3]), .done([])])
            finish(channel, cleanup)
        }

        @Test("85. Bytes before an error are delivered before the call that reports it")
        func errorAfterData() {
            let (pair, channel, cleanup) = openPair()
            channel.setLimit(lowWater: 1000)
            let read = channel.read(1000, on: queue)
            #expect(writeAll([1, 2, 3], to: pair.far))
            // Read, but not delivered yet because of the low water mark.
            while unreadBytes(pair.near) > 0 { letTimePass(milliseconds: 1) }
            channel.close(flags: .stop)
            #expect(read.finish() == [.part([1, 2, 3]), .done(nil, ECANCELED)])
            cleanup.expect()
        }

        @Test("86. A write's handler receives the unwritten bytes")
        func unwritten() {
            let pair = Channel(.socketPair)
            let (channel, cleanup) = open(.stream, pair.near)
            channel.setLimit(highWater: 1000)
            let bytes = countingBytes(4500)
            let write = channel.write(copied(bytes), on: queue)
            let calls = write.finish()
            #expect(calls.map { $0.bytes?.count ?? 0 } == [3500, 2500, 1500, 500, 0])
            for call in calls.dropLast() {
                #expect(call.bytes == bytes.suffix(call.bytes!.count))
            }
            #expect(calls.last == .done(nil))
            finish(channel, cleanup)
        }

        @Test("The first bytes of a message do not wait for more")
        func firstBytes() {
            let (pair, channel, cleanup) = openPair()
            let read = channel.read(1 << 20, on: queue)
            #expect(writeAll(Array("hello".utf8), to: pair.far))
            read.expectBytes(5)
            #expect(read.calls == [.part(Array("hello".utf8))])
            channel.close(flags: .stop)
            read.finish()
            cleanup.expect()
        }

        @Test("Operations without bytes end at once")
        func noBytes() {
            let pair = Channel(.socketPair)
            let (channel, cleanup) = open(.stream, pair.near)
            let read = channel.read(0, on: queue)
            let write = channel.write(.empty, on: queue)
            #expect(read.finish() == [.done([])])
            #expect(write.finish() == [.done(nil)])
            finish(channel, cleanup)
        }

        @Test("A handler that is late holds the reading back")
        func heldBack() {
            let (pair, channel, cleanup) = openPair()
            let (gate, read) = (Gate(), Transfer())
            channel.read(offset: 0, length: .max, queue: queue) { done, data, error in
                gate.pass()
                read.handler(done, data, error)
            }
            // Fills the sockets' buffers and the room for undelivered bytes, until nothing more is
            // accepted.
            var sent = 0
            var lastSent = -1
            while sent < 16 << 20, sent != lastSent {
                lastSent = sent
                sent += fill(pair.far)
                letTimePass(milliseconds: 20)
            }
            #expect(sent < 8 << 20)
            gate.open()
            read.expectBytes(sent)
            pair.closeFar()
            read.finish()
            #expect(read.bytes.count == sent)
            finish(channel, cleanup)
        }

        @Test("Many small pieces of data are written in one go, and arrive whole")
        func pieces() {
            let (pair, channel, cleanup) = openPair()
            var data = DispatchData.empty
            for index in 0..<1000 { data.append(copied(countingBytes(7, from: 7 * index))) }
            let write = channel.write(data, on: queue)
            let read = Transfer()
            DispatchIO.readAll(pair.far, 7000, read)
            read.finish()
            #expect(read.bytes == countingBytes(7000))
            #expect(write.finish() == [.done(nil)])
            finish(channel, cleanup)
        }
    }
}

extension DispatchIO {
    /// Reads a number of bytes by convenience reads, one after the other.
    static func readAll(_ descriptor: Int32, _ count: Int, _ transfer: Transfer) {
        let queue = DispatchQueue(label: "io.readAll")
        read(fromFileDescriptor: descriptor, maxLength: count, runningHandlerOn: queue) {
            data, error in
            let isLast = data.count == count || data.count == 0 || error != 0
            transfer.handler(isLast, data, error)
            if !isLast { readAll(descriptor, count - data.count, transfer) }
        }
    }
}
