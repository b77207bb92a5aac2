#if TLS
internal import CTLS

/// The BIO that OpenSSL uses in place of a socket. During a call it reads from the caller's bytes
/// and appends to the caller's output array.
///
/// Compared with BIO_s_mem(3) this saves one copy of each byte in both directions.
final class EngineBIO {
    /// The caller's bytes that OpenSSL has not read yet.
    fileprivate(set) var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The caller's array, swapped in during a call: nothing is copied.
    var output: [UInt8] = []
    /// The caller's memory, which gets the output first, as far as it has room.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var written = 0

    /// Safety: the bytes stay valid while `body` runs, and are not accessed afterwards.
    func reading<Result>(_ bytes: UnsafeRawBufferPointer, _ body: () -> Result) -> Result {
        input = bytes
        defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
        return body()
    }

    /// Writes into the memory while `body` runs, and what has no room there into the array.
    /// - Parameter count: receives the number of bytes in the memory.
    func writing<Result>(
        into memory: UnsafeMutableRawBufferPointer, count: inout Int, _ body: () -> Result
    ) -> Result {
        self.memory = memory
        written = 0
        defer {
            count = written
            self.memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        }
        return body()
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        if memory.count - written >= bytes.count, output.isEmpty {
            UnsafeMutableRawBufferPointer(rebasing: memory[written...]).copyMemory(from: bytes)
            written += bytes.count
        } else {
            output.append(contentsOf: bytes)
        }
    }

    /// Reserves room for `count` more bytes in the array, unless there is memory. Capacity at least
    /// doubles, so that many small writes into one array do not copy it each time.
    func reserve(_ count: Int) {
        guard memory.isEmpty else { return }
        let needed = output.count + count
        if needed > output.capacity { output.reserveCapacity(max(needed, 2 * output.capacity)) }
    }

    /// Creates a BIO for this object, which `ssl` owns. The caller keeps this object alive until it
    /// has freed `ssl`. Returns false if out of memory.
    func attach(to ssl: OpaquePointer) -> Bool {
        guard let bio = BIO_new(Self.method) else { return false }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        // SSL_set_bio takes a single reference if both BIOs are the same.
        SSL_set_bio(ssl, bio, bio)
        return true
    }

    /// Safety: initialized once; OpenSSL only reads it.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        let method = BIO_meth_new(kind, "RingTLS engine")
        BIO_meth_set_read_ex(method) { bio, into, capacity, count in
            guard let bio, let into, let count else { return 0 }
            return EngineBIO.of(bio).read(bio, into, capacity, count)
        }
        BIO_meth_set_write_ex(method) { bio, bytes, size, count in
            guard let bio, let bytes, let count else { return 0 }
            // Safety: OpenSSL's bytes are valid during this call.
            let source = UnsafeRawBufferPointer(start: bytes, count: size)
            EngineBIO.of(bio).write(source)
            count.pointee = size
            return 1
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in
            // The BIO has no buffer, so a flush succeeds at once. Other commands are unsupported.
            command == BIO_CTRL_FLUSH ? 1 : 0
        }
        return method
    }()

    /// Safety: the object outlives the BIO, see `attach`.
    private static func of(_ bio: OpaquePointer) -> EngineBIO {
        Unmanaged<EngineBIO>.fromOpaque(BIO_get_data(bio)).takeUnretainedValue()
    }

    private func read(
        _ bio: OpaquePointer, _ into: UnsafeMutablePointer<CChar>, _ capacity: Int,
        _ count: UnsafeMutablePointer<Int>
    ) -> Int32 {
        ctls_bio_clear_retry(bio)
        let size = min(capacity, input.count)
        guard size > 0 else {
            // Not the end of the stream: the next call may bring more input.
            ctls_bio_set_retry_read(bio)
            count.pointee = 0
            return 0
        }
        UnsafeMutableRawPointer(into).copyMemory(from: input.baseAddress!, byteCount: size)
        input = UnsafeRawBufferPointer(rebasing: input[size...])
        count.pointee = size
        return 1
    }
}
#endif
