import Glibc
import RingDispatch
import Testing

extension IOTests {
    @Suite("Water marks, intervals and deadlines")
    struct Limits {
        private let queue = DispatchQueue(label: "io.limits")

        @Test("90. No call has more bytes than the high water mark")
        func highWater() {
            let folder = Folder()
            let bytes = patternBytes(100_000)
            let descriptor = Glibc.open(folder.makeFile("file", bytes), O_RDONLY)
            let (channel, cleanup) = open(.stream, descriptor)
            channel.setLimit(highWater: 3000)
            let read = channel.read(100_000, on: queue)
            read.finish()
            #expect(read.calls.allSatisfy { $0.bytes!.count <= 3000 })
            #expect(read.bytes == bytes)
            finish(channel, cleanup)
            close(descriptor)
        }

        @Test("90. A call has as many bytes as the low water mark, but for the last")
        func lowWater() {
            let (pair, channel, cleanup) = openPair()
            channel.setLimit(lowWater: 1000)
            let read = channel.read(.max, on: queue)
            for index in 0..<9 {
                #expect(writeAll(countingBytes(300, from: 300 * index), to: pair.far))
                while unreadBytes(pair.near) > 0 { letTimePass(milliseconds: 1) }
            }
            read.expectBytes(2000)
            pair.closeFar()
            let calls = read.finish()
            #expect(calls.count > 2)
            #expect(calls.dropLast(2).allSatisfy { $0.bytes!.count >= 1000 })
            #expect(read.bytes == countingBytes(2700))
            #expect(calls.last == .done([]))
            finish(channel, cleanup)
        }

        @Test("90. With both marks alike each call has just so many bytes")
        func exactPieces() {
            let folder = Folder()
            let file = folder.makeFile("file", patternBytes(1_000_500))
            let descriptor = Glibc.open(file, O_RDONLY)
            let (channel, cleanup) = open(.stream, descriptor)
            channel.setLimit(lowWater: 1000)
            channel.setLimit(highWater: 1000)
            let read = channel.read(.max, on: queue)
            let sizes = read.finish().map { $0.bytes?.count }
            #expect(sizes == [Int?](repeating: 1000, count: 1000) + [500, 0])
            #expect(read.bytes == patternBytes(1_000_500))
            finish(channel, cleanup)
            close(descriptor)
        }

        @Test("90. A low water mark raises the high one, and a high one lowers it")
        func marksFollow() {
            let (pair, channel, cleanup) = openPair()
            channel.setLimit(highWater: 10)
            channel.setLimit(lowWater: 20)
            let first = channel.read(60, on: queue)
            #expect(writeAll(countingBytes(60), to: pair.far))
            #expect(first.finish().map { $0.bytes?.count } == [20, 20, 20])
            channel.setLimit(highWater: 5)
            let second = channel.read(15, on: queue)
            #expect(writeAll(countingBytes(15), to: pair.far))
            #expect(second.finish().map { $0.bytes?.count } == [5, 5, 5])
            finish(channel, cleanup)
        }

        @Test("90. A strict interval delivers the available bytes, even below the low water mark")
        func strictInterval() {
            let (pair, channel, cleanup) = openPair()
            channel.setLimit(lowWater: 1000)
            channel.setInterval(interval: .milliseconds(5), flags: .strictInterval)
            let read = channel.read(2000, on: queue)
            read.expectCalls(3)
            #expect(read.calls.allSatisfy { $0 == .part([]) })
            #expect(writeAll(countingBytes(10), to: pair.far))
            read.expectBytes(10)
            #expect(!read.isDone)
            #expect(writeAll(countingBytes(1990, from: 10), to: pair.far))
            read.finish()
            #expect(read.bytes == countingBytes(2000))
            finish(channel, cleanup)
        }

        @Test("90. An interval that is not strict respects the low water mark")
        func looseInterval() {
            let (pair, channel, cleanup) = openPair()
            channel.setLimit(lowWater: 1000)
            channel.setInterval(interval: .milliseconds(2))
            let read = channel.read(2000, on: queue)
            #expect(writeAll(countingBytes(10), to: pair.far))
            while unreadBytes(pair.near) > 0 { letTimePass(milliseconds: 1) }
            read.expectSilence()
            #expect(read.calls.isEmpty)
            channel.close(flags: .stop)
            #expect(read.finish() == [.part(countingBytes(10)), .done(nil, ECANCELED)])
            cleanup.expect()
        }

        @Test("90. A strict interval reports a write that is stuck")
        func strictIntervalOfWrite() {
            let pair = Channel(.socketPair)
            let (channel, cleanup) = open(.stream, pair.near)
            channel.setInterval(interval: .milliseconds(5), flags: .strictInterval)
            let size = 8 << 20
            let write = channel.write(copied([UInt8](repeating: 3, count: size)), on: queue)
            write.expectCalls(3)
            let left = write.calls.last?.bytes?.count ?? 0
            #expect(left > 0 && left < size)
            channel.close(flags: .stop)
            #expect(write.finish().last?.error == ECANCELED)
            #expect(write.calls.last?.bytes?.count == left)
            cleanup.expect()
        }

        @Test("A read whose deadline passes delivers its bytes, and ends with ETIMEDOUT")
        func readDeadline() {
            var milliseconds = 30
            let isRead = holdsInSomeRound {
                let (pair, channel, cleanup) = openPair()
                channel.setLimit(lowWater: 100)
                let (late, next) = (Transfer(), Transfer())
                #expect(writeAll([1, 2], to: pair.far))
                channel.read(
                    offset: 0, length: 100, queue: queue,
                    deadline: .now() + .milliseconds(milliseconds), ioHandler: late.handler)
                channel.read(
                    offset: 0, length: 2, queue: queue, deadline: Patience.deadline,
                    ioHandler: next.handler)
                // On a busy machine the deadline may pass before the bytes are read.
                let isRead = late.finish().count > 1
                if isRead {
                    #expect(late.calls == [.part([1, 2]), .done(nil, ETIMEDOUT)])
                    #expect(writeAll([3, 4], to: pair.far))
                }
                #expect(next.finish() == [.done(isRead ? [3, 4] : [1, 2])])
                finish(channel, cleanup)
                milliseconds *= 2
                return isRead
            }
            #expect(isRead)
        }

        @Test("A write whose deadline passes gives back what is left")
        func writeDeadline() {
            let (pair, channel, cleanup) = openPair()
            let write = Transfer()
            let size = 8 << 20
            channel.write(
                offset: 0, data: copied([UInt8](repeating: 3, count: size)), queue: queue,
                deadline: .now() + .milliseconds(30), ioHandler: write.handler)
            let last = write.finish().last
            #expect(last?.error == ETIMEDOUT)
            #expect(last!.bytes!.count == size - readAll(from: pair.far).count)
            finish(channel, cleanup)
        }

        @Test("A deadline in the past, and one that is not reached")
        func deadlineEdges() {
            let pair = Channel(.socketPair)
            let (past, future) = (Transfer(), Transfer())
            DispatchIO.read(
                fromFileDescriptor: pair.near, maxLength: 10, runningHandlerOn: queue,
                deadline: .now()
            ) { past.handler(true, $0, $1) }
            #expect(past.finish() == [.done([], ETIMEDOUT)])
            DispatchIO.read(
                fromFileDescriptor: pair.near, maxLength: 10, runningHandlerOn: queue,
                deadline: Patience.deadline
            ) { future.handler(true, $0, $1) }
            #expect(writeAll([5], to: pair.far))
            #expect(future.finish() == [.done([5])])
        }
    }
}
