import Glibc
import RingDispatch
import Testing

extension IOTests {
    @Suite("Paths and errors")
    struct Errors {
        private let queue = DispatchQueue(label: "io.errors")

        private func openPath(
            _ path: String, _ flags: Int32 = O_RDONLY, type: DispatchIO.StreamType = .stream
        ) -> (channel: DispatchIO, cleanup: Cleanup)? {
            let cleanup = Cleanup()
            return DispatchIO(
                type: type, path: path, oflag: flags, mode: 0o600, queue: queue,
                cleanupHandler: cleanup.handler
            ).map { ($0, cleanup) }
        }

        @Test("91. A relative path gives no channel")
        func relativePath() {
            #expect(openPath("file") == nil)
            #expect(openPath("") == nil)
            #expect(openPath("./file") == nil)
        }

        @Test("91. The first operation opens the path, and the library closes it")
        func lazyOpen() {
            let folder = Folder()
            let path = folder("new")
            do {
                guard let (channel, cleanup) = openPath(path, O_RDWR | O_CREAT) else {
                    Issue.record("no channel")
                    return
                }
                #expect(channel.fileDescriptor == -1)
                #expect(access(path, F_OK) != 0)
                let write = channel.write(copied([1, 2, 3]), on: queue)
                #expect(write.finish() == [.done(nil)])
                let descriptor = channel.fileDescriptor
                #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
                finish(channel, cleanup)
                #expect(channel.fileDescriptor == -1)
            }
            #expect(contents(ofFile: path) == [1, 2, 3])
        }

        @Test("91. A barrier opens the path, too, and sees the descriptor")
        func barrierOpens() {
            let folder = Folder()
            do {
                let (channel, cleanup) = openPath(folder.makeFile("file", [1]))!
                let seen = Watched<Int32>(-2)
                channel.barrier { seen.update { $0 = channel.fileDescriptor } }
                expectEventually(seen) { $0 >= 0 }
                finish(channel, cleanup)
            }
        }

        @Test("A channel of a path that is never used opens nothing")
        func unusedPath() {
            let folder = Folder()
            do {
                let (channel, cleanup) = openPath(folder("new"), O_RDWR | O_CREAT)!
                finish(channel, cleanup)
                #expect(access(folder.path + "/new", F_OK) != 0)
            }
        }

        @Test("Channels of a path's channel share its descriptor")
        func sharedPath() {
            let folder = Folder()
            do {
                let file = folder.makeFile("file", countingBytes(100))
                let (first, firstCleanup) = openPath(file)!
                let cleanup = Cleanup()
                let second = DispatchIO(
                    type: .random, io: first, queue: queue, cleanupHandler: cleanup.handler)
                let one = second.read(10, from: 50, on: queue)
                let two = first.read(10, on: queue)
                #expect(one.finish() == [.done(countingBytes(10, from: 50))])
                #expect(two.finish() == [.done(countingBytes(10))])
                #expect(first.fileDescriptor == second.fileDescriptor)
                first.close()
                firstCleanup.expectSilence()
                second.close()
                firstCleanup.expect()
                cleanup.expect()
            }
        }

        @Test("91. A path that cannot be opened ends operations and the channel with the error")
        func cannotOpen() {
            let folder = Folder()
            let cases: [(String, Int32, Int32)] = [
                (folder.path + "/missing", O_RDONLY, ENOENT),
                (folder.path + "/missing/file", O_RDWR | O_CREAT, ENOENT),
                (folder.path, O_RDONLY, EISDIR),
                ("/proc/version", O_RDWR, EACCES),
                (folder.makeFile("file", []) + "/below", O_RDONLY, ENOTDIR),
            ]
            for (path, flags, error) in cases {
                // Root may write to read-only files: the kernel reports EACCES or allows it.
                if error == EACCES && access(path, W_OK) == 0 { continue }
                let (channel, cleanup) = openPath(path, flags)!
                let read = channel.read(10, on: queue)
                let write = channel.write(copied([1]), on: queue)
                #expect(read.finish() == [.done(nil, error)])
                #expect(write.finish() == [.done([1], error)])
                cleanup.expect(error)
                #expect(channel.fileDescriptor == -1)
                channel.close()
            }
        }

        @Test("91. A path that cannot be opened ends a channel that is not used, made on any queue")
        func unusedMissingPath() {
            let path = Folder().path + "/missing"
            for isOnQueue in [false, true] {
                let (channel, cleanup) =
                    isOnQueue ? queue.sync { openPath(path)! } : openPath(path)!
                cleanup.expect(ENOENT)
                #expect(channel.read(1, on: queue).finish() == [.done(nil, ENOENT)])
            }
        }

        @Test("A path that vanishes before the first operation ends it with ENOENT")
        func vanishingPath() {
            let folder = Folder()
            do {
                let path = folder.makeFile("file", [1, 2, 3])
                let (channel, cleanup) = openPath(path)!
                #expect(unlink(path) == 0)
                let read = channel.read(10, on: queue)
                #expect(read.finish() == [.done(nil, ENOENT)])
                channel.close()
                cleanup.expect(ENOENT)
            }
        }

        @Test("Invalid descriptors give EBADF", arguments: [-1, 1_000_000] as [Int32])
        func badDescriptor(number: Int32) {
            let (channel, cleanup) = open(.stream, number)
            cleanup.expect(EBADF)
            let read = channel.read(1, on: queue)
            let write = channel.write(copied([1]), on: queue)
            #expect(read.finish() == [.done(nil, EBADF)])
            #expect(write.finish() == [.done([1], EBADF)])
            channel.close(flags: .stop)
            let (once, twice) = (Transfer(), Transfer())
            DispatchIO.read(
                fromFileDescriptor: number, maxLength: 1, runningHandlerOn: queue
            ) { once.handler(true, $0, $1) }
            DispatchIO.write(
                toFileDescriptor: number, data: copied([1]), runningHandlerOn: queue
            ) { twice.handler(true, $0, $1) }
            #expect(once.finish() == [.done([], EBADF)])
            #expect(twice.finish() == [.done([1], EBADF)])
        }

        @Test("Reading a write-only descriptor, and writing a read-only one, gives EBADF")
        func wrongDirection() {
            let folder = Folder()
            let pipe = Channel(.pipe)
            let path = folder.makeFile("file", [1])
            let (readable, writable) = (Glibc.open(path, O_RDONLY), Glibc.open(path, O_WRONLY))
            for descriptor in [writable, pipe.far] {
                let (channel, cleanup) = open(.stream, descriptor)
                let read = channel.read(1, on: queue)
                #expect(read.finish() == [.done(nil, EBADF)])
                finish(channel, cleanup)
            }
            for descriptor in [readable, pipe.near] {
                let (channel, cleanup) = open(.stream, descriptor)
                let write = channel.write(copied([1]), on: queue)
                #expect(write.finish() == [.done([1], EBADF)])
                finish(channel, cleanup)
            }
            close(readable)
            close(writable)
        }

        @Test("A socket that cannot be read ends the operation with EOPNOTSUPP")
        func unreadable() async {
            await #expect(processExitsWith: .success) {
                prepareForTrap()
                let (pair, channel, _) = IOTests.openPair()
                // recvfrom(2)
                #if arch(x86_64)
                let receiving: UInt32 = 45
                #else
                let receiving: UInt32 = 207
                #endif
                let isFiltered = CallFilter.install([
                    .load(0), .skip(1, unless: receiving), .end(CallFilter.fail(EOPNOTSUPP)),
                    .end(CallFilter.allow),
                ])
                let calls = channel.read(1, on: DispatchQueue(label: "io.unreadable")).finish()
                withExtendedLifetime(pair) {}
                endProcess(succeedingIf: isFiltered == 0 && calls == [.done(nil, EOPNOTSUPP)])
            }
        }

        @Test(
            "A random channel of a socket or a pipe gives ESPIPE",
            arguments: Channel.Kind.allCases)
        func notSeekable(kind: Channel.Kind) {
            let pair = Channel(kind)
            let (channel, cleanup) = open(.random, pair.near)
            let read = channel.read(1, on: queue)
            #expect(read.finish() == [.done(nil, ESPIPE)])
            cleanup.expect(ESPIPE)
            channel.close()
        }

        @Test("It does beside a channel that goes on, too")
        func notSeekableBesideStream() {
            let (pair, stream, streamCleanup) = openPair()
            let (channel, cleanup) = open(.random, pair.near)
            cleanup.expect(ESPIPE)
            let based = Cleanup()
            let other = DispatchIO(
                type: .random, io: stream, queue: queue, cleanupHandler: based.handler)
            based.expect(ESPIPE)
            #expect(Glibc.write(pair.far, [7], 1) == 1)
            #expect(stream.read(1, on: queue).finish() == [.done([7])])
            finish(stream, streamCleanup)
            channel.close()
            other.close()
        }

        @Test("A random channel of a path that is a FIFO gives ESPIPE")
        func pathNotSeekable() throws {
            let folder = Folder()
            let path = folder("fifo")
            #expect(mkfifo(path, 0o600) == 0)
            let cleanup = Cleanup()
            let channel = try #require(
                DispatchIO(
                    type: .random, path: path, oflag: O_RDWR, mode: 0, queue: queue,
                    cleanupHandler: cleanup.handler))
            #expect(channel.read(1, on: queue).finish() == [.done(nil, ESPIPE)])
            cleanup.expect(ESPIPE)
            channel.close()
        }
    }
}
