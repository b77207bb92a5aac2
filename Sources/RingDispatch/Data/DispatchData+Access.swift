internal import LinuxPlatform

// MARK: contiguous access

extension DispatchData {
    /// Calls the body with a pointer to contiguous bytes. `dispatch_data_create_map`.
    ///
    /// A single region that is aligned for the type is not copied; otherwise the bytes are copied
    /// to temporary memory for the call. The pointer is valid only in the body. It is never nil,
    /// but must not be read if there are no bytes.
    public func withUnsafeBytes<Result, ContentType>(
        body: (UnsafePointer<ContentType>) throws -> Result
    ) rethrows -> Result {
        let stride = MemoryLayout<ContentType>.stride
        let alignment = MemoryLayout<ContentType>.alignment
        return try withContiguousBytes(alignment: alignment) { bytes in
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                return try body(UnsafePointer(bitPattern: alignment)!)
            }
            return try body(
                start.bindMemory(to: ContentType.self, capacity: bytes.count / stride))
        }
    }

    /// Calls the body with contiguous bytes, copied if there are several regions. Without bytes the
    /// buffer's count is 0.
    @_disfavoredOverload
    public func withUnsafeBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withContiguousBytes(alignment: 1, body)
    }

    /// Calls the body with a span over contiguous bytes.
    ///
    /// Several regions are copied to temporary memory for the call; use the spans of `regions` to
    /// avoid that.
    public func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = withContiguousBytes(alignment: 1) { bytes in
            let bytes = bytes.bindMemory(to: UInt8.self)
            do throws(Failure) {
                return Swift.Result<Result, Failure>.success(try body(bytes.span))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func withContiguousBytes<Result>(
        alignment: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let isAligned = Int(bitPattern: first.start) & (alignment - 1) == 0
        if count == 0 || rest.isEmpty && isAligned {
            return try withExtendedLifetime(self) { try body(first.bytes) }
        }
        return try withUnsafeTemporaryAllocation(byteCount: count, alignment: alignment) { copy in
            write(0..<count, to: copy.baseAddress!)
            return try body(UnsafeRawBufferPointer(copy))
        }
    }
}

// MARK: region by region

extension DispatchData {
    /// Calls the block with each region in order and the index of its first byte, until the block
    /// sets `stop`. `dispatch_data_apply`.
    public func enumerateBytes(
        _ block: (
            _ buffer: UnsafeBufferPointer<UInt8>, _ byteIndex: Int, _ stop: inout Bool
        ) -> Void
    ) {
        forEachPart(of: 0..<count) { part, offset in
            var stop = false
            block(part.bindMemory(to: UInt8.self), offset, &stop)
            return !stop
        }
    }
}

// MARK: copying out

extension DispatchData {
    /// Copies the first `count` bytes. Neither the buffer nor the data may be shorter.
    public func copyBytes(to pointer: UnsafeMutableRawBufferPointer, count: Int) {
        copyBytes(to: pointer, from: 0..<requireCount(count, "copyBytes(to:count:)"))
    }

    /// Copies the bytes of a range. The buffer must have room for them.
    public func copyBytes(to pointer: UnsafeMutableRawBufferPointer, from range: Range<Index>) {
        require(range, "copyBytes(to:from:)")
        guard range.count <= pointer.count else {
            fatalMisuse(
                "DispatchData.copyBytes: the buffer has room for \(pointer.count) bytes, "
                    + "not for \(range.count)")
        }
        guard let start = pointer.baseAddress else { return }
        write(range, to: start)
    }

    /// Copies bytes over the elements of a buffer, as many as fit.
    /// - Parameters:
    ///   - buffer: receives the bytes from its start on; the rest of it stays as it is.
    ///   - range: the bytes to copy; all if nil.
    /// - Returns: the number of bytes copied.
    public func copyBytes<DestinationType>(
        to buffer: UnsafeMutableBufferPointer<DestinationType>, from range: Range<Index>? = nil
    ) -> Int {
        let range = range ?? 0..<count
        if range.isEmpty { return 0 }
        require(range, "copyBytes(to:from:)")
        let bytes = UnsafeMutableRawBufferPointer(buffer)
        let end = range.lowerBound + Swift.min(bytes.count, range.count)
        copyBytes(to: bytes, from: range.lowerBound..<end)
        return end - range.lowerBound
    }

    /// Safety: the caller ensures that the range is in bounds and fits.
    func write(_ range: Range<Int>, to destination: UnsafeMutableRawPointer) {
        forEachPart(of: range) { part, offset in
            (destination + (offset - range.lowerBound))
                .copyMemory(from: part.baseAddress!, byteCount: part.count)
            return true
        }
    }
}
