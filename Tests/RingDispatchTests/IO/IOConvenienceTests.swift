import Glibc
import RingDispatch
import Testing

extension IOTests {
    @Suite("Convenience")
    struct Convenience {
        private let queue = DispatchQueue(label: "io.convenience")

        @Test("89. A convenience read returns the available bytes, once")
        func convenienceRead() {
            let pair = Channel(.socketPair)
            let (first, second, end) = (Transfer(), Transfer(), Transfer())
            func read(_ transfer: Transfer, _ length: Int) {
                DispatchIO.read(
                    fromFileDescriptor: pair.near, maxLength: length, runningHandlerOn: queue
                ) { transfer.handler(true, $0, $1) }
            }
            read(first, 1000)
            first.expectSilence()
            #expect(writeAll(countingBytes(600), to: pair.far))
            #expect(first.finish().last?.error == 0)
            read(second, 100)
            #expect(writeAll(countingBytes(600), to: pair.far))
            #expect(second.finish() == [.done(countingBytes(100))])
            pair.closeFar()
            _ = readAll(from: pair.near)
            read(end, 100)
            #expect(end.finish() == [.done([])])
        }

        /// As many bytes as its calls in a row take.
        @Test("89. A convenience read of a pipe that it empties ends, whatever the length")
        func convenienceWholePipe() {
            let pair = Channel(.pipe)
            let count = 16 * 65_536
            let setPipeSize: Int32 = 1031
            guard fcntl(pair.far, setPipeSize, Int32(count)) == count else { return }
            #expect(writeAll(countingBytes(count), to: pair.far))
            let read = Transfer()
            DispatchIO.read(
                fromFileDescriptor: pair.near, maxLength: .max, runningHandlerOn: queue
            ) { read.handler(true, $0, $1) }
            #expect(read.finish().last?.error == 0)
            let isWhole = read.bytes == countingBytes(count)
            #expect(isWhole)
        }

        @Test("89. A convenience read of a file continues where the last one ended")
        func convenienceFile() {
            let folder = Folder()
            let bytes = randomBytes(700_000, seed: 9)
            let descriptor = Glibc.open(folder.makeFile("file", bytes), O_RDONLY)
            var result: [UInt8] = []
            for length in [10, 300_000, Int.max, Int.max] {
                let read = Transfer()
                DispatchIO.read(
                    fromFileDescriptor: descriptor, maxLength: length, runningHandlerOn: queue
                ) { read.handler(true, $0, $1) }
                #expect(read.finish().last?.error == 0)
                result += read.bytes
            }
            #expect(result == bytes)
            close(descriptor)
        }

        @Test("89. Convenience operations of a descriptor run in order, and give it back restored")
        func convenienceOrder() {
            var pair: [Int32] = [-1, -1]
            #expect(makePipe(&pair) == 0)
            let order = Watched<[Int]>([])
            let far = pair[1]
            for index in 0..<20 {
                let data = copied(countingBytes(10_000, from: 10_000 * index))
                DispatchIO.write(
                    toFileDescriptor: far, data: data, runningHandlerOn: queue
                ) { data, error in
                    #expect(data == nil && error == 0)
                    #expect(fcntl(far, F_GETFL) & O_NONBLOCK == 0)
                    order.append(index)
                }
            }
            let read = Transfer()
            DispatchIO.readAll(pair[0], 200_000, read)
            read.finish()
            #expect(read.bytes == countingBytes(200_000))
            expectEventually(order) { $0 == Array(0..<20) }
            for descriptor in pair { close(descriptor) }
        }

        @Test("89. A convenience write does not wait for a convenience read of the same descriptor")
        func convenienceBothWays() {
            let pair = Channel(.socketPair)
            let (read, write) = (Transfer(), Transfer())
            DispatchIO.read(
                fromFileDescriptor: pair.near, maxLength: 10, runningHandlerOn: queue
            ) { read.handler(true, $0, $1) }
            DispatchIO.write(
                toFileDescriptor: pair.near, data: copied([1]), runningHandlerOn: queue
            ) { write.handler(true, $0, $1) }
            #expect(write.finish() == [.done(nil)])
            #expect(!read.isDone)
            #expect(writeAll([2], to: pair.far))
            #expect(read.finish() == [.done([2])])
        }
    }
}
