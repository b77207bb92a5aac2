import Glibc
import RingDispatch
import Testing

extension IOTests {
    @Suite("Files")
    struct Files {
        private let queue = DispatchQueue(label: "io.file")
        private let folder = Folder()

        private func withFile(
            _ bytes: [UInt8], flags: Int32 = O_RDWR, _ body: (Int32) -> Void
        ) {
            let descriptor = Glibc.open(folder.makeFile("file", bytes), flags)
            #expect(descriptor >= 0)
            body(descriptor)
            close(descriptor)
        }

        @Test(
            "A stream reads a file from its position to its end",
            arguments: [
                0, 1, 4095, 4096, 4097, 262_143, 262_144, 262_145, 3_000_001,
            ])
        func wholeFile(size: Int) {
            let bytes = randomBytes(size, seed: 1)
            withFile(bytes) { descriptor in
                let (channel, cleanup) = open(.stream, descriptor)
                let read = channel.read(.max, from: 77, on: queue)
                #expect(read.finish().last == .done([]))
                #expect(read.bytes == bytes)
                finish(channel, cleanup)
                #expect(lseek(descriptor, 0, SEEK_CUR) == size)
            }
        }

        @Test("83. Reads of a file's stream follow one another, from the position it had")
        func streamPosition() {
            let bytes = countingBytes(100_000)
            withFile(bytes) { descriptor in
                lseek(descriptor, 1000, SEEK_SET)
                let (channel, cleanup) = open(.stream, descriptor)
                let reads = (0..<20).map { _ in channel.read(4000, on: queue) }
                for (index, read) in reads.enumerated() {
                    read.finish()
                    #expect(read.bytes == Array(bytes[(1000 + 4000 * index)...].prefix(4000)))
                }
                finish(channel, cleanup)
                #expect(lseek(descriptor, 0, SEEK_CUR) == 81_000)
            }
        }

        @Test("A stream's writes and those of a duplicate follow one another", arguments: [1, 8])
        func writesBesideDuplicate(count: Int) {
            withFile([]) { descriptor in
                let (channel, cleanup) = open(.stream, descriptor)
                let duplicate = dup(descriptor)
                channel.setLimit(highWater: 100_000)
                let (bytes, others) = (patternBytes(1_000_000), Watched(0))
                let writes = (0..<count).map { _ in Transfer() }
                for write in writes {
                    let data = copied(bytes)
                    channel.write(offset: 0, data: data, queue: queue) { done, rest, error in
                        if Glibc.write(duplicate, [1, 2], 2) == 2 { others.increment() }
                        write.handler(done, rest, error)
                    }
                }
                for write in writes { write.finish() }
                finish(channel, cleanup)
                let end = count * bytes.count + 2 * others.value
                #expect(others.value > count)
                #expect(lseek(descriptor, 0, SEEK_END) == end)
                close(duplicate)
            }
        }

        @Test("A stream's read at the end of a file does not move its writes back")
        func readAtEndBesideWrites() {
            withFile([]) { descriptor in
                let (channel, cleanup) = open(.stream, descriptor)
                for round in 1...300 {
                    let read = channel.read(1, on: queue)
                    #expect(channel.write(copied([1, 2]), on: queue).finish().last?.error == 0)
                    read.finish()
                    // A read that gets bytes and a write compete for the position.
                    if read.bytes.isEmpty {
                        #expect(lseek(descriptor, 0, SEEK_CUR) == 2 * round)
                    }
                    lseek(descriptor, 0, SEEK_END)
                }
                finish(channel, cleanup)
                #expect(lseek(descriptor, 0, SEEK_END) == 600)
            }
        }

        @Test("A stream's read that ends during a write leaves the written bytes together")
        func readBesideWrite() {
            let bytes = randomBytes(1_000_000, seed: 5)
            for _ in 0..<20 {
                withFile([UInt8](repeating: 0, count: 100)) { descriptor in
                    let (channel, cleanup) = open(.stream, descriptor)
                    channel.setLimit(highWater: 50_000)
                    let read = channel.read(10, on: queue)
                    let write = channel.write(copied(bytes), on: queue)
                    read.finish()
                    write.finish()
                    finish(channel, cleanup)
                    // The write begins where the read began, or behind it.
                    let found: [UInt8] = contents(ofFile: folder("file"))
                    let begins = [0, 10].filter { Array(found[$0...].prefix(bytes.count)) == bytes }
                    #expect(begins.count == 1)
                }
            }
        }

        @Test("83. Offsets of a random channel count from the position at its creation")
        func randomOffsets() {
            let bytes = randomBytes(2_000_000, seed: 2)
            withFile(bytes) { descriptor in
                lseek(descriptor, 10_000, SEEK_SET)
                let (channel, cleanup) = open(.random, descriptor)
                lseek(descriptor, 0, SEEK_SET)
                var generator = SeededGenerator(seed: 3)
                let reads = (0..<50).map { _ in
                    let offset = Int.random(in: 0..<1_900_000, using: &generator)
                    return (offset, Int.random(in: 0..<400_000, using: &generator), Transfer())
                }
                for (offset, length, read) in reads {
                    channel.read(
                        offset: offset, length: length, queue: queue, ioHandler: read.handler)
                }
                for (offset, length, read) in reads {
                    #expect(read.finish().last?.error == 0)
                    #expect(read.bytes == Array(bytes[(10_000 + offset)...].prefix(length)))
                }
                finish(channel, cleanup)
                #expect(lseek(descriptor, 0, SEEK_CUR) == 0)
            }
        }

        @Test("A read beyond the largest offset of a file ends", arguments: [0, 1, 4095])
        func largestOffsets(distance: Int) {
            withFile([1, 2, 3]) { descriptor in
                let (channel, cleanup) = open(.random, descriptor)
                let read = Transfer()
                channel.read(
                    offset: .max - off_t(distance), length: 65_536, queue: queue,
                    ioHandler: read.handler)
                #expect(read.finish().last?.isDone == true)
                #expect(read.bytes.isEmpty)
                finish(channel, cleanup)
            }
        }

        @Test("83. Operations of a random channel run side by side, also behind a late handler")
        func randomIsParallel() {
            withFile(patternBytes(4_000_000)) { descriptor in
                let (channel, cleanup) = open(.random, descriptor)
                let (gate, late) = (Gate(), Transfer())
                channel.read(offset: 0, length: .max, queue: queue) { done, data, error in
                    gate.pass()
                    late.handler(done, data, error)
                }
                let quick = channel.read(10, from: 5, on: DispatchQueue(label: "io.other"))
                #expect(quick.finish() == [.done(Array(patternBytes(15).suffix(10)))])
                #expect(!late.isDone)
                gate.open()
                late.finish()
                #expect(late.bytes == patternBytes(4_000_000))
                finish(channel, cleanup)
            }
        }

        @Test("85. A length of -1, the bits of SIZE_MAX, reads to the end")
        func lengthOfAllBits() {
            let bytes = randomBytes(300_000, seed: 4)
            withFile(bytes) { descriptor in
                let (channel, cleanup) = open(.stream, descriptor)
                channel.setLimit(highWater: -1)
                channel.setLimit(lowWater: -1)
                let read = channel.read(-1, on: queue)
                let bytesOfParts = read.finish().map { $0.bytes?.count }
                #expect(bytesOfParts == [300_000, 0])
                #expect(read.bytes == bytes)
                finish(channel, cleanup)
                lseek(descriptor, 0, SEEK_SET)
                let whole = Transfer()
                DispatchIO.read(
                    fromFileDescriptor: descriptor, maxLength: -1, runningHandlerOn: queue
                ) { whole.handler(true, $0, $1) }
                #expect(whole.finish() == [.done(bytes)])
            }
        }

        @Test("An offset before the start of the file gives EINVAL", arguments: [-1, -7, .min])
        func offsetBeforeStart(offset: Int) {
            withFile([1, 2, 3]) { descriptor in
                lseek(descriptor, 1, SEEK_SET)
                let (channel, cleanup) = open(.random, descriptor)
                let read = channel.read(10, from: offset, on: queue)
                let write = channel.write(copied([9]), at: offset, on: queue)
                // Offsets count from the position at the channel's creation.
                let isInside = offset == -1
                #expect(write.finish() == [isInside ? .done(nil) : .done([9], EINVAL)])
                #expect(read.finish().last == (isInside ? .done([]) : .done(nil, EINVAL)))
                #expect(channel.read(2, on: queue).finish() == [.done([2, 3])])
                finish(channel, cleanup)
            }
        }

        @Test("A random channel writes at the given offset")
        func randomWrites() {
            var expected = [UInt8](repeating: 0, count: 1_000_000)
            withFile(expected) { descriptor in
                let (channel, cleanup) = open(.random, descriptor)
                var writes: [Transfer] = []
                for index in (0..<100).reversed() {
                    let bytes = randomBytes(10_000, seed: UInt64(index))
                    expected.replaceSubrange(10_000 * index..<10_000 * (index + 1), with: bytes)
                    writes.append(Transfer())
                    channel.write(
                        offset: 10_000 * index, data: copied(bytes), queue: queue,
                        ioHandler: writes.last!.handler)
                }
                for write in writes { #expect(write.finish() == [.done(nil)]) }
                finish(channel, cleanup)
            }
            #expect(contents(ofFile: folder("file")) == expected)
        }

        @Test("A stream appends where the file was opened to append")
        func append() {
            withFile([1, 2, 3], flags: O_WRONLY | O_APPEND) { descriptor in
                let (channel, cleanup) = open(.stream, descriptor)
                let writes = [Transfer(), Transfer()]
                for write in writes {
                    channel.write(
                        offset: 0, data: copied([4, 5]), queue: queue, ioHandler: write.handler)
                }
                for write in writes { write.finish() }
                finish(channel, cleanup)
            }
            #expect(contents(ofFile: folder("file")) == [1, 2, 3, 4, 5, 4, 5])
        }

        @Test("A file of /proc, which does not tell its size, is read to its end")
        func sizeless() {
            let descriptor = Glibc.open("/proc/self/maps", O_RDONLY)
            let (channel, cleanup) = open(.stream, descriptor)
            let read = channel.read(.max, on: queue)
            #expect(read.finish().last == .done([]))
            #expect(read.bytes.count > 1000)
            finish(channel, cleanup)
            close(descriptor)
        }

        @Test("A file that is cut short while it is read ends where it ends")
        func truncated() {
            let bytes = patternBytes(6_000_000)
            withFile(bytes) { descriptor in
                let (channel, cleanup) = open(.stream, descriptor)
                let (read, begun, gate) = (Transfer(), Gate(), Gate())
                channel.read(offset: 0, length: .max, queue: queue) { done, data, error in
                    begun.open()
                    gate.pass()
                    read.handler(done, data, error)
                }
                expectOpens(begun)
                #expect(ftruncate(descriptor, 4_000_001) == 0)
                gate.open()
                #expect(read.finish().last == .done([]))
                #expect(read.bytes == Array(bytes.prefix(4_000_001)))
                finish(channel, cleanup)
            }
        }

        @Test("8 MiB are copied from file to file in pieces of all sizes")
        func copy() {
            let bytes = randomBytes(8 << 20, seed: 4)
            let target = Glibc.open(folder("copy"), O_RDWR | O_CREAT, 0o600)
            withFile(bytes) { descriptor in
                let (source, sourceCleanup) = open(.stream, descriptor)
                let (sink, sinkCleanup) = open(.stream, target)
                var generator = SeededGenerator(seed: 5)
                let (reads, writes) = (Watched<[Transfer]>([]), Watched<[Transfer]>([]))
                var left = bytes.count
                while left > 0 {
                    let length = min(left, Int.random(in: 1...400_000, using: &generator))
                    left -= length
                    let read = Transfer()
                    reads.append(read)
                    source.read(offset: 0, length: length, queue: queue) {
                        [queue] done, data, error in
                        writes.append(sink.write(data ?? .empty, on: queue))
                        read.handler(done, data, error)
                    }
                }
                for read in reads.value { #expect(read.finish().last?.error == 0) }
                for write in writes.value { #expect(write.finish().last == .done(nil)) }
                source.close()
                sink.close()
                sourceCleanup.expect()
                sinkCleanup.expect()
            }
            close(target)
            // Compared outside of the macro, which would describe megabytes.
            let isSame = contents(ofFile: folder("copy")) == bytes
            #expect(isSame)
        }

        @Test("A hundred files are read at once")
        func manyFiles() {
            let files = (0..<100).map { index in
                let bytes = randomBytes(20_000 + 997 * index, seed: UInt64(index))
                return (bytes, Glibc.open(folder.makeFile("\(index)", bytes), O_RDONLY))
            }
            let reads = files.map { _, descriptor in
                let (channel, cleanup) = open(.stream, descriptor)
                let read = channel.read(.max, on: .global())
                channel.close()
                return (read, cleanup)
            }
            for ((bytes, descriptor), (read, cleanup)) in zip(files, reads) {
                #expect(read.finish().last?.error == 0)
                #expect(read.bytes == bytes)
                cleanup.expect()
                close(descriptor)
            }
        }

        @Test("Reads of a small file's path follow one another, to its end and after it has grown")
        func smallPath() throws {
            let bytes = countingBytes(100_000)
            let path = folder.makeFile("small", bytes)
            let cleaned = Gate()
            let channel = try #require(
                DispatchIO(
                    type: .stream, path: path, oflag: O_RDONLY, mode: 0, queue: queue
                ) { error in
                    #expect(error == 0)
                    cleaned.open()
                })
            let reads = [4000, 50_000, .max, .max].map { channel.read($0, on: queue) }
            for read in reads { read.finish() }
            #expect(reads[0].bytes == Array(bytes[..<4000]))
            #expect(reads[1].bytes == Array(bytes[4000..<54_000]))
            #expect(reads[2].bytes == Array(bytes[54_000...]))
            #expect(reads[3].calls == [.done([])])
            let more = randomBytes(300_000, seed: 7)
            let writer = Glibc.open(path, O_WRONLY | O_APPEND)
            #expect(Glibc.write(writer, more, more.count) == more.count)
            close(writer)
            let last = channel.read(.max, on: queue)
            last.finish()
            #expect(last.bytes == more)
            channel.close()
            expectOpens(cleaned)
        }

        @Test("Writes of a stream past the page cache (O_DIRECT) follow one another")
        func directWrites() {
            let count = 8192
            let path = folder.makeFile("direct", [UInt8](repeating: 0, count: 4 * count))
            let descriptor = Glibc.open(path, O_RDWR | directFlag)
            // Not every file system has it.
            if descriptor < 0 && errno == EINVAL { return }
            // Writes to blocks that the file has already are asynchronous.
            fsync(descriptor)
            let (channel, cleanup) = open(.stream, descriptor)
            for value in [UInt8(1), 2] {
                let memory = UnsafeMutableRawBufferPointer.allocate(
                    byteCount: count, alignment: 4096)
                memory.initializeMemory(as: UInt8.self, repeating: value)
                let data = DispatchData(
                    bytesNoCopy: UnsafeRawBufferPointer(memory),
                    deallocator: .custom(nil) { memory.deallocate() })
                #expect(channel.write(data, on: queue).finish().last?.error == 0)
            }
            finish(channel, cleanup)
            close(descriptor)
            let found: [UInt8] = contents(ofFile: path)
            #expect(found.prefix(count).allSatisfy { $0 == 1 })
            #expect(found[count..<2 * count].allSatisfy { $0 == 2 })
            #expect(found[(2 * count)...].allSatisfy { $0 == 0 })
        }

        @Test(
            "A file of any size is read past the page cache (O_DIRECT)",
            arguments: [5000, 8192, 300_000])
        func directRead(size: Int) {
            let bytes = randomBytes(size, seed: 8)
            let descriptor = Glibc.open(folder.makeFile("direct", bytes), O_RDONLY | directFlag)
            // Not every file system has it.
            if descriptor < 0 && errno == EINVAL { return }
            let (channel, cleanup) = open(.stream, descriptor)
            let read = channel.read(.max, on: queue)
            #expect(read.finish().last?.error == 0)
            #expect(read.bytes == bytes)
            finish(channel, cleanup)
            close(descriptor)
        }

        @Test("Many reads that wait for one end one after the other, on a stack of any size")
        func manyWaiting() {
            let bytes = countingBytes(2_000_000)
            withFile(bytes) { descriptor in
                let (channel, cleanup) = open(.stream, descriptor)
                let (gate, first) = (Gate(), Transfer())
                channel.read(offset: 0, length: 1_000_000, queue: queue) { done, data, error in
                    gate.pass()
                    first.handler(done, data, error)
                }
                let others = (0..<20_000).map { _ in channel.read(10, on: queue) }
                gate.open()
                for (index, read) in others.enumerated() {
                    read.finish()
                    #expect(read.bytes == Array(bytes[(1_000_000 + 10 * index)...].prefix(10)))
                }
                finish(channel, cleanup)
            }
        }

        @Test("Many reads whose handlers are late have a buffer each, and few more")
        func manyReads() {
            let bytes = patternBytes(2 << 20)
            withFile(bytes, flags: O_RDONLY) { descriptor in
                let (channel, cleanup) = open(.random, descriptor)
                let most = Watched(0)
                queue.suspend()
                let reads = (0..<64).map { _ in
                    let read = Transfer()
                    channel.read(offset: 0, length: .max, queue: queue) { done, data, error in
                        most.update { $0 = max($0, IOStatistics.buffersInUse) }
                        read.handler(done, data, error)
                    }
                    return read
                }
                expectSoon("each read has its buffer") { IOStatistics.buffersInUse >= reads.count }
                // Until nothing more is read ahead.
                var last = -1
                while last != IOStatistics.buffersInUse {
                    last = IOStatistics.buffersInUse
                    letTimePass(milliseconds: 20)
                }
                queue.resume()
                for read in reads { #expect(read.finish().last?.error == 0) }
                // 8 MiB, a buffer for each operation, and what several threads add at once.
                #expect(most.value <= 32 + reads.count + 16)
                #expect(reads.allSatisfy { $0.bytes == bytes })
                finish(channel, cleanup)
            }
        }

        @Test("A descriptor with O_NONBLOCK set, which the ring would not wait for, is read whole")
        func nonBlockingFile() {
            let bytes = randomBytes(2_000_000, seed: 6)
            withFile(bytes, flags: O_RDONLY | O_NONBLOCK) { descriptor in
                posix_fadvise(descriptor, 0, 0, Int32(POSIX_FADV_DONTNEED))
                let (channel, cleanup) = open(.stream, descriptor)
                let read = channel.read(.max, on: queue)
                #expect(read.finish().last == .done([]))
                #expect(read.bytes == bytes)
                finish(channel, cleanup)
                #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
            }
        }
    }
}

/// O_DIRECT, which Glibc hides; fcntl.h.
#if arch(arm64)
private let directFlag: Int32 = 0o200000
#else
private let directFlag: Int32 = 0o40000
#endif
