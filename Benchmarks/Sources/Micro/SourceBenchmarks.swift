import Glibc

#if LIBDISPATCH
import Dispatch
#else
import RingDispatch
#endif

let sourceBenchmarks: [Benchmark] = [
    // Merges one at a time; a handler call may receive the sum of many.
    Benchmark("source-add", operations: 1_000_000) { operations in
        let queue = DispatchQueue(label: "source-add")
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let done = DispatchSemaphore(value: 0)
        let sum = Cell(0)
        source.setEventHandler {
            sum.value += Int(source.data)
            if sum.value == operations {
                done.signal()
            }
        }
        source.activate()
        let elapsed = elapsedNanoseconds {
            for _ in 0..<operations {
                source.add(data: 1)
            }
            done.wait()
        }
        source.cancel()
        return elapsed
    },

    Benchmark("source-read-round-trip", operations: 1_500, repetitions: 5) { operations in
        SocketPairEcho().elapsed(roundTrips: operations)
    },
]

/// Two read sources pass one byte back and forth over a socket pair.
private final class SocketPairEcho: @unchecked Sendable {
    private let descriptors: [Int32]
    private let closed = DispatchGroup()
    private let done = DispatchSemaphore(value: 0)
    /// Only the near end's handler touches it once the sources are active.
    private var roundTripsLeft = 0

    init() {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let status = socketpair(AF_UNIX, type, 0, &pair)
        precondition(status == 0, "socketpair failed with errno \(errno)")
        descriptors = pair
    }

    func elapsed(roundTrips: Int) -> UInt64 {
        roundTripsLeft = roundTrips
        let near = makeSource(descriptors[0]) { self.nearEndReceived() }
        let far = makeSource(descriptors[1]) { self.sendByte(self.descriptors[1]) }
        let elapsed = elapsedNanoseconds {
            sendByte(descriptors[0])
            done.wait()
        }
        near.cancel()
        far.cancel()
        closed.wait()
        return elapsed
    }

    private func makeSource(
        _ descriptor: Int32, received: @escaping @Sendable () -> Void
    ) -> any DispatchSourceRead {
        let queue = DispatchQueue(label: "source-read-\(descriptor)")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var byte: UInt8 = 0
            if read(descriptor, &byte, 1) == 1 {
                received()
            }
        }
        closed.enter()
        source.setCancelHandler {
            close(descriptor)
            self.closed.leave()
        }
        source.activate()
        return source
    }

    private func nearEndReceived() {
        roundTripsLeft -= 1
        if roundTripsLeft == 0 {
            done.signal()
        } else {
            sendByte(descriptors[0])
        }
    }

    private func sendByte(_ descriptor: Int32) {
        var byte: UInt8 = 42
        let count = write(descriptor, &byte, 1)
        precondition(count == 1, "write failed with errno \(errno)")
    }
}
