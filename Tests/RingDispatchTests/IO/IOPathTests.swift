import Glibc
import RingDispatch
import Testing

extension IOTests {
    @Suite("Reads of a path whose file changes")
    struct PathTests {
        private let queue = DispatchQueue(label: "io.path")
        private let folder = Folder()

        /// Runs `body` with a stream channel of a path, and closes the channel.
        private func withChannel(
            _ path: String, flags: Int32 = O_RDONLY, _ body: (DispatchIO) throws -> Void
        ) throws {
            let cleaned = Gate()
            let channel = try #require(
                DispatchIO(type: .stream, path: path, oflag: flags, mode: 0, queue: queue) {
                    #expect($0 == 0)
                    cleaned.open()
                })
            try body(channel)
            channel.close()
            expectOpens(cleaned)
        }

        @Test("A path opens once another process gives the file up")
        func givenUp() async {
            await #expect(processExitsWith: .success) {
                prepareForTrap()
                signal(SIGIO, SIG_IGN)
                let tests = PathTests()
                let path = tests.folder.makeFile("file", [1, 2, 3])
                let holder = Glibc.open(path, O_RDWR)
                // F_SETLEASE with F_WRLCK; not every file system has leases.
                guard fcntl(holder, 1024, Int32(1)) == 0 else { return }
                try tests.withChannel(path) { channel in
                    let read = channel.read(.max, on: tests.queue)
                    // F_GETLEASE: the kernel demands its end.
                    expectSoon("the holder is asked") { fcntl(holder, 1025) != 1 }
                    letTimePass(milliseconds: 50)
                    _ = fcntl(holder, 1024, Int32(2))  // F_UNLCK
                    read.finish()
                    #expect(read.bytes == [1, 2, 3])
                }
            }
        }

        /// Appends bytes that are not in the page cache afterwards, if the file system allows that.
        private static func append(_ bytes: [UInt8], to path: String) {
            let writer = Glibc.open(path, O_WRONLY | O_APPEND)
            #expect(Glibc.write(writer, bytes, bytes.count) == bytes.count)
            fdatasync(writer)
            posix_fadvise(writer, 4096, 0, POSIX_FADV_DONTNEED)
            close(writer)
        }

        @Test("A read gets what the file has grown by in a barrier")
        func grownInBarrier() throws {
            let bytes = patternBytes(8192)
            let path = folder.makeFile("file", Array(bytes[..<4096]))
            try withChannel(path) { channel in
                channel.barrier { PathTests.append(Array(bytes[4096...]), to: path) }
                let read = channel.read(.max, on: queue)
                read.finish()
                #expect(read.bytes == bytes)
            }
        }

        @Test("A read begins where a barrier has moved the position to")
        func movedInBarrier() throws {
            let bytes = patternBytes(8192)
            let path = folder.makeFile("file", bytes)
            try withChannel(path) { channel in
                channel.barrier { lseek(channel.fileDescriptor, 4096, SEEK_SET) }
                let read = channel.read(.max, on: queue)
                read.finish()
                #expect(read.bytes == Array(bytes[4096...]))
            }
        }

        @Test("A write appends if a barrier has set O_APPEND")
        func appendInBarrier() throws {
            let path = folder.makeFile("file", [1, 2, 3])
            try withChannel(path, flags: O_WRONLY) { channel in
                channel.barrier {
                    let descriptor = channel.fileDescriptor
                    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_APPEND)
                }
                channel.write(copied([4, 5]), on: queue).finish()
            }
            #expect(contents(ofFile: path) == [1, 2, 3, 4, 5])
        }

        @Test("A file of nearly 2^63 bytes is read")
        func huge() throws {
            let path = "/dev/shm/ringdispatch-\(getpid())-huge"
            let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer {
                close(descriptor)
                unlink(path)
            }
            guard descriptor >= 0, ftruncate(descriptor, .max) == 0 else { return }
            try withChannel(path) { channel in
                let read = channel.read(10, on: queue)
                read.finish()
                #expect(read.bytes == [UInt8](repeating: 0, count: 10))
            }
        }
    }
}
