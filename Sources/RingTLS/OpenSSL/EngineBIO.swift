#if TLS
internal import CTLS

/// What OpenSSL reads from and writes to in the place of a socket: the caller's bytes, for the time
/// of one call, and the array that the caller wants the output in.
///
/// Against BIO_s_mem(3) this saves a copy of each byte in both directions: input is read where the
/// caller has it, output is appended where the caller wants it.
final class EngineBIO {
    /// The part of the caller's bytes that was not read yet.
    fileprivate(set) var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The caller's array is swapped in for the time of a call: nothing is copied.
    var output: [UInt8] = []

    /// Safety: the bytes stay where they are while `body` runs, and are not looked at after it.
    func reading<Result, Failure: Error>(
        _ bytes: UnsafeRawBufferPointer, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        input = bytes
        defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
        return try body()
    }

    /// Makes room for that many bytes more. The array grows by doubling all the same, so that many
    /// small writes into one array do not copy it each time.
    func reserve(_ count: Int) {
        let needed = output.count + count
        if needed > output.capacity { output.reserveCapacity(max(needed, 2 * output.capacity)) }
    }

    /// Gives `ssl` a BIO that leads here, and that ends with `ssl`. The owner of both keeps this
    /// object until it has freed `ssl`. False: no memory.
    func attach(to ssl: OpaquePointer) -> Bool {
        guard let bio = BIO_new(Self.method) else { return false }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        // One reference is enough for both directions when they are the same.
        SSL_set_bio(ssl, bio, bio)
        return true
    }

    /// Safety: made once, not changed after that; OpenSSL only reads it.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
        let method = BIO_meth_new(kind, "RingTLS engine")
        BIO_meth_set_read_ex(method) { bio, into, capacity, count in
            guard let bio, let into, let count else { return 0 }
            return EngineBIO.of(bio).read(bio, into, capacity, count)
        }
        BIO_meth_set_write_ex(method) { bio, bytes, size, count in
            guard let bio, let bytes, let count else { return 0 }
            // Safety: OpenSSL's bytes, for the time of this call.
            let source = UnsafeRawBufferPointer(start: bytes, count: size)
            EngineBIO.of(bio).output.append(contentsOf: source)
            count.pointee = size
            return 1
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in
            // Nothing is held back, so that flushing is done at once; the rest does not apply.
            command == BIO_CTRL_FLUSH ? 1 : 0
        }
        return method
    }()

    /// Safety: see `attach`: the object outlives the BIO.
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
            // More may come with the next call.
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
