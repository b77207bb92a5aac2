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

        @Test("91. A relative path gives no channel")  // contract 4.2 o
        func relativePath() {
            do {
                #expect(openPath("file") == nil)
                #expect(openPath("") == nil)
                #expect(openPath("./file") == nil)
            }
            expectNothingLeft()
        }

        @Test("91. The first operation opens the path, and the library closes it")
        func lazyOpen() {
            do {
                let folder = Folder()
                let path = folder("new")
                do {
                    guard let (channel, cleanup) = openPath(path, O_RDWR | O_CREAT) else {
                        Issue.record("no channel")
                        return
                    }
                    #expect(channel.fileDescriptor == -1)
                    #expect(access(path, F_OK) != 0)
                    let write = Transfer()
                    channel.write(
                        offset: 0, data: copied([1, 2, 3]), queue: queue, ioHandler: write.handler)
                    #expect(write.finish() == [.done(nil)])
                    let descriptor = channel.fileDescriptor
                    #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
                    channel.close()
                    cleanup.expect()
                    #expect(channel.fileDescriptor == -1)
                }
                #expect(contents(ofFile: path) == [1, 2, 3])
            }
            expectNothingLeft()
        }

        @Test("91. A barrier opens the path, too, and sees the descriptor")
        func barrierOpens() {
            do {
                let folder = Folder()
                do {
                    let (channel, cleanup) = openPath(folder.makeFile("file", [1]))!
                    let seen = Watched<Int32>(-2)
                    channel.barrier { seen.update { $0 = channel.fileDescriptor } }
                    expectEventually(seen) { $0 >= 0 }
                    channel.close()
                    cleanup.expect()
                }
            }
            expectNothingLeft()
        }

        @Test("A channel of a path that is never used opens nothing")
        func unusedPath() {
            do {
                let folder = Folder()
                do {
                    let (channel, cleanup) = openPath(folder("new"), O_RDWR | O_CREAT)!
                    channel.close()
                    cleanup.expect()
                    #expect(access(folder.path + "/new", F_OK) != 0)
                }
            }
            expectNothingLeft()
        }

        @Test("Channels of a path's channel share its descriptor")
        func sharedPath() {
            do {
                let folder = Folder()
                do {
                    let file = folder.makeFile("file", countingBytes(100))
                    let (first, firstCleanup) = openPath(file)!
                    let (cleanup, one, two) = (Cleanup(), Transfer(), Transfer())
                    let second = DispatchIO(
                        type: .random, io: first, queue: queue, cleanupHandler: cleanup.handler)
                    second.read(offset: 50, length: 10, queue: queue, ioHandler: one.handler)
                    first.read(offset: 0, length: 10, queue: queue, ioHandler: two.handler)
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
            expectNothingLeft()
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
                // Root may write to what nobody may: the kernel says EACCES or lets it be.
                if error == EACCES && access(path, W_OK) == 0 { continue }
                do {
                    let (channel, cleanup) = openPath(path, flags)!
                    let (read, write) = (Transfer(), Transfer())
                    channel.read(offset: 0, length: 10, queue: queue, ioHandler: read.handler)
                    channel.write(
                        offset: 0, data: copied([1]), queue: queue, ioHandler: write.handler)
                    #expect(read.finish() == [.done(nil, error)])
                    #expect(write.finish() == [.done([1], error)])
                    cleanup.expect(error)
                    #expect(channel.fileDescriptor == -1)
                    channel.close()
                }
                expectNothingLeft()
            }
        }

        @Test("A path that vanishes before the first operation ends it with ENOENT")
        func vanishingPath() {
            do {
                let folder = Folder()
                do {
                    let path = folder.makeFile("file", [1, 2, 3])
                    let (channel, cleanup) = openPath(path)!
                    #expect(unlink(path) == 0)
                    let read = Transfer()
                    channel.read(offset: 0, length: 10, queue: queue, ioHandler: read.handler)
                    #expect(read.finish() == [.done(nil, ENOENT)])
                    channel.close()
                    cleanup.expect(ENOENT)
                }
            }
            expectNothingLeft()
        }

        @Test("Descriptors that are none give EBADF", arguments: [-1, 1_000_000] as [Int32])
        func badDescriptor(number: Int32) {
            do {
                let (channel, cleanup) = open(.stream, number)
                cleanup.expect(EBADF)
                let (read, write) = (Transfer(), Transfer())
                channel.read(offset: 0, length: 1, queue: queue, ioHandler: read.handler)
                channel.write(offset: 0, data: copied([1]), queue: queue, ioHandler: write.handler)
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
            expectNothingLeft()
        }

        @Test("Reading what is open for writing only, and the other way round, gives EBADF")
        func wrongDirection() {
            do {
                let folder = Folder()
                let pipe = Channel(.pipe)
                let path = folder.makeFile("file", [1])
                let (readable, writable) = (Glibc.open(path, O_RDONLY), Glibc.open(path, O_WRONLY))
                for descriptor in [writable, pipe.far] {
                    let (channel, cleanup) = open(.stream, descriptor)
                    let read = Transfer()
                    channel.read(offset: 0, length: 1, queue: queue, ioHandler: read.handler)
                    #expect(read.finish() == [.done(nil, EBADF)])
                    channel.close()
                    cleanup.expect()
                }
                for descriptor in [readable, pipe.near] {
                    let (channel, cleanup) = open(.stream, descriptor)
                    let write = Transfer()
                    channel.write(
                        offset: 0, data: copied([1]), queue: queue, ioHandler: write.handler)
                    #expect(write.finish() == [.done([1], EBADF)])
                    channel.close()
                    cleanup.expect()
                }
                close(readable)
                close(writable)
            }
            expectNothingLeft()
        }

        @Test("A random channel of a socket or a pipe gives ESPIPE", arguments: [
            Channel.Kind.pipe, .socketPair,
        ])
        func notSeekable(kind: Channel.Kind) {
            do {
                let pair = Channel(kind)
                let (channel, cleanup) = open(.random, pair.near)
                let read = Transfer()
                channel.read(offset: 0, length: 1, queue: queue, ioHandler: read.handler)
                #expect(read.finish() == [.done(nil, ESPIPE)])
                cleanup.expect(ESPIPE)
                channel.close()
            }
            expectNothingLeft()
        }
    }
}
