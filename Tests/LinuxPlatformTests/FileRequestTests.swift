import Glibc
import LinuxPlatform
import Testing

@Suite("Requests to files")
struct FileRequestTests {
    @Test("a read without waiting takes what is in memory, and leaves the end to a real read")
    func withoutWaiting() throws {
        let path = "/tmp/file-request-tests-\(getpid())"
        let file = OwnedDescriptor(adopting: open(path, O_RDWR | O_CREAT, 0o600))
        unlink(path)
        try #require(pwrite(file.number, "some bytes", 10, 0) == 10)
        var found = [UInt8](repeating: 0, count: 20)
        found.withUnsafeMutableBytes { bytes in
            let request = FileRequest(.read(bytes, offset: 5), descriptor: file.number)
            #expect(request.performWithoutWaiting() == 5)
            let end = FileRequest(.read(bytes, offset: 10), descriptor: file.number)
            #expect(end.performWithoutWaiting() == nil)
            #expect(end.performBlocking() == 0)
        }
        #expect(Array(found.prefix(5)) == Array("bytes".utf8))
    }

    @Test("it says nothing about an empty pipe, a wrong descriptor, and what is no read")
    func others() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let reader = OwnedDescriptor(adopting: ends[0])
        let writer = OwnedDescriptor(adopting: ends[1])
        var byte: UInt8 = 0
        withUnsafeMutableBytes(of: &byte) { bytes in
            for descriptor in [reader.number, 1_000_000] {
                let read = FileRequest(.read(bytes, offset: -1), descriptor: descriptor)
                #expect(read.performWithoutWaiting() == nil)
            }
        }
        _ = writer.number
    }

    @Test("a path whose folders are in memory is opened; one that is missing or made is not")
    func opening() throws {
        let path = "/tmp/file-request-tests-open-\(getpid())"
        func open(_ flags: Int32) -> Int32? {
            path.withCString {
                FileRequest(.open($0, flags: flags, mode: 0o600)).performWithoutWaiting()
            }
        }
        #expect(open(O_RDONLY) == nil)
        #expect(open(O_WRONLY | O_CREAT) == nil)
        let made = OwnedDescriptor(adopting: Glibc.open(path, O_RDWR | O_CREAT, 0o600))
        defer { unlink(path) }
        // The kernel refuses while another process changes the folder.
        var found: Int32?
        for _ in 0..<100_000 where found == nil { found = open(O_RDONLY | O_CLOEXEC) }
        let opened = OwnedDescriptor(adopting: try #require(found))
        #expect(Descriptors.identity(opened.number) == Descriptors.identity(made.number))
        #expect(fcntl(opened.number, F_GETFD) == FD_CLOEXEC)
        #expect(open(O_WRONLY | O_TRUNC) == nil)
    }
}
