import Glibc
import Testing

/// Two connected descriptors, non-blocking, closed when the last reference goes.
final class Channel: Sendable {
    enum Kind: CaseIterable {
        /// A pipe: `far` is written, `near` is read.
        case pipe
        /// Two connected stream sockets.
        case socketPair
    }

    let near: Int32
    let far: Int32
    private let open: Watched<Set<Int32>>

    init(_ kind: Kind) {
        var pair: [Int32] = [-1, -1]
        let code =
            switch kind {
            // A child that another test starts must not keep an end open.
            case .pipe: makePipe(&pair)
            case .socketPair: socketpair(AF_UNIX, streamKind, 0, &pair)
            }
        precondition(code == 0, "errno \(errno)")
        for descriptor in pair {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        }
        near = pair[0]
        far = pair[1]
        open = Watched(Set(pair))
    }

    deinit {
        closeNear()
        closeFar()
    }

    func closeNear() { close(near) }
    func closeFar() { close(far) }

    private func close(_ descriptor: Int32) {
        if open.update({ $0.remove(descriptor) }) != nil { _ = Glibc.close(descriptor) }
    }
}

/// Writes `count` bytes, or fewer if the descriptor is full.
@discardableResult
func write(_ count: Int, to descriptor: Int32) -> Int {
    let bytes = [UInt8](repeating: 7, count: count)
    return Glibc.write(descriptor, bytes, count)
}

/// Reads all waiting bytes. Returns their number, and whether the end was reached.
func readAll(from descriptor: Int32) -> (count: Int, isAtEnd: Bool) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    var total = 0
    while true {
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count == 0 { return (total, true) }
        if count < 0 { return (total, false) }
        total += count
    }
}

/// Writes until the descriptor is full. Returns the number of bytes written.
@discardableResult
func fill(_ descriptor: Int32) -> Int {
    var total = 0
    while true {
        let count = write(65536, to: descriptor)
        if count <= 0 { return total }
        total += count
    }
}

/// A stream socket that children do not inherit.
let streamKind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

/// pipe(2), whose ends children do not inherit: pipe2(2), which is not imported.
func makePipe(_ pair: inout [Int32]) -> Int32 {
    typealias Pipe = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
    return unsafeBitCast(dlsym(nil, "pipe2"), to: Pipe.self)(&pair, O_CLOEXEC)
}

/// Adds bytes at the end of a file.
func append(_ count: Int, to path: String) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    #expect(descriptor >= 0 && write(count, to: descriptor) == count)
    close(descriptor)
}

/// Overwrites a file's first bytes.
func overwrite(_ count: Int, of path: String) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    #expect(descriptor >= 0 && write(count, to: descriptor) == count)
    close(descriptor)
}
