#if TLS
internal import LinuxPlatform
internal import Synchronization

/// Keeps threads out of OpenSSL once exit(3) has begun.
///
/// OpenSSL frees its memory in an exit handler, while other threads go on, unless the first call of
/// all asked it not to. `CLinux` makes that call before main(), but another library's constructor
/// may have been earlier. So an exit handler of this gate, which runs before OpenSSL's because it
/// was registered later, waits until no thread is in OpenSSL. Threads that come later sleep until
/// the process is gone; the one that has called exit(3) passes.
enum ExitGate {
    private static let isClosed = Atomic<Bool>(false)
    /// The thread that has called exit(3).
    private static let closer = Atomic<UInt32>(0)
    private static let places = 64

    /// The number of threads inside, spread over cache lines: a thread's own one is hardly ever in
    /// another CPU's cache. Store-then-check with `isClosed`: a thread counts itself, then loads
    /// `isClosed`; the exit handler stores `isClosed`, then loads the counts.
    private struct Place: ~Copyable {
        let count = Atomic<Int>(0)
        let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
            0, 0, 0, 0, 0, 0, 0
        )
    }

    // Safety: allocated once, never freed; the fields are atomic.
    nonisolated(unsafe) private static let inside: UnsafeMutablePointer<Place> = {
        let places = UnsafeMutablePointer<Place>.allocate(capacity: ExitGate.places)
        for index in 0..<ExitGate.places { (places + index).initialize(to: Place()) }
        Processes.atExit { ExitGate.close() }
        return places
    }()

    /// How long exit(3) waits for threads in OpenSSL, in milliseconds. A callback of the program
    /// may stay there, and may be what calls exit(3).
    private static let patience = 1000

    /// Runs a body that calls OpenSSL.
    @inline(__always)
    static func pass<Result>(_ body: () -> Result) -> Result {
        let place = enter()
        defer { leave(place) }
        return body()
    }

    /// Returns what `leave` takes.
    @inline(__always)
    static func enter() -> Int {
        let place = self.place
        inside[place].count.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if isClosed.load(ordering: .sequentiallyConsistent) { stop(place) }
        return place
    }

    @inline(__always)
    static func leave(_ place: Int) {
        inside[place].count.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    }

    @inline(never)
    private static func stop(_ place: Int) {
        if closer.load(ordering: .relaxed) == Threads.currentIdentifier { return }
        leave(place)
        while true { Threads.sleep(milliseconds: 900) }
    }

    private static func close() {
        closer.store(Threads.currentIdentifier, ordering: .relaxed)
        isClosed.store(true, ordering: .sequentiallyConsistent)
        for _ in 0..<patience {
            let count = (0..<places).reduce(0) {
                $0 + inside[$1].count.load(ordering: .sequentiallyConsistent)
            }
            if count == 0 { return }
            Threads.sleep(milliseconds: 1)
        }
    }

    /// Threads have different stacks, so an address on the stack tells them apart.
    @inline(__always)
    private static var place: Int {
        var variable: UInt8 = 0
        return withUnsafePointer(to: &variable) { Int(bitPattern: $0) >> 18 & (places - 1) }
    }
}
#endif
