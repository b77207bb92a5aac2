/// Finds the commands in what a client sends: arrays of bulk strings, as RESP2 has them, or typed
/// lines.
///
/// A command that lies whole in the received bytes is not copied. One that does not is collected in
/// `pending`, which never holds more than that command; what was looked at is not looked at again.
/// Memory is taken for bytes that have arrived, never for numbers that were announced.
struct RESPParser: ~Copyable {
    /// A line like "$536870912", without its end.
    private static let longestHeaderBytes = 24
    /// Kept of `pending` for the next command.
    private static let retainedBytes = 64 << 10

    enum Progress {
        /// The words are in `arguments`, counted from this address. Valid until the next call, and
        /// as long as the input.
        case command(UnsafeRawPointer)
        /// The input is used up.
        case incomplete
        case failed(ProtocolError)
    }

    /// What the next step needs.
    private enum Step {
        case complete
        /// A line of which the end has not come.
        case needsLine(longest: Int)
        /// So many more bytes.
        case needsBytes(Int)
        case failed(ProtocolError)
    }

    private let limits: ParserLimits
    private(set) var arguments = ArgumentList()
    /// The beginning of a command that has not come whole.
    private var pending = ByteBuffer()
    /// `pending` is a command that was handed out.
    private var isPendingDone = false
    private var failure: ProtocolError?

    // The state inside a command; offsets count from its first byte.
    /// Where the next line or string begins.
    private var position = 0
    /// Up to where a line's end was looked for.
    private var searched = 0
    /// Words to come; -1: the command's first line is to come.
    private var missing = -1
    /// The length of the word that is to come; -1: its header is to come.
    private var bulkCount = -1

    init(limits: ParserLimits) {
        self.limits = limits
    }

    /// The bytes that are kept for a command that has not come whole.
    var pendingCount: Int { isPendingDone ? 0 : pending.count }

    /// The memory that is held for one.
    var pendingCapacity: Int { pending.capacity }

    /// Takes the next command, or all there is, from the front of `input`.
    @inline(__always)
    mutating func next(_ input: inout UnsafeRawBufferPointer) -> Progress {
        if isPendingDone || failure != nil {
            if let failure { return .failed(failure) }
            isPendingDone = false
            pending.removeAll(retainedBytes: Self.retainedBytes)
        }
        guard pending.isEmpty else { return nextFromPending(&input) }
        guard let start = input.baseAddress, !input.isEmpty else { return .incomplete }
        begin()
        // A typed line is taken apart in `pending`, where it can be changed.
        guard start.load(as: UInt8.self) == UInt8(ascii: "*") else {
            return nextFromPending(&input)
        }
        switch advance(input) {
        case .complete:
            input = UnsafeRawBufferPointer(rebasing: input[position...])
            return .command(start)
        case .failed(let error): return fail(error)
        case .needsLine: take(input.count, from: &input)
        case .needsBytes(let count):
            take(input.count, from: &input, expectedCount: input.count + count)
        }
        return .incomplete
    }

    private mutating func begin() {
        position = 0
        searched = 0
        missing = -1
        bulkCount = -1
        arguments.removeAll()
    }

    @inline(never)
    private mutating func fail(_ error: ProtocolError) -> Progress {
        failure = error
        return .failed(error)
    }

    /// Moves what the current command needs from the input to `pending`, and no more than that.
    @inline(never)
    private mutating func nextFromPending(_ input: inout UnsafeRawBufferPointer) -> Progress {
        while true {
            let isInline = pending.bytes.first.map { $0 != UInt8(ascii: "*") } ?? false
            let step: Step =
                if pending.isEmpty {
                    .needsBytes(1)
                } else if isInline {
                    advanceInline()
                } else {
                    advance(pending.bytes)
                }
            switch step {
            case .complete:
                isPendingDone = true
                return .command(UnsafeRawPointer(pending.start!))
            case .failed(let error): return fail(error)
            case .needsLine(let longest):
                guard !input.isEmpty else { return .incomplete }
                let most = input.prefix(max(1, longest + 2 - (pending.count - position)))
                let end = most.firstIndex(of: UInt8(ascii: "\n"))
                take(end.map { $0 + 1 } ?? most.count, from: &input)
            case .needsBytes(let count):
                guard !input.isEmpty else { return .incomplete }
                let total = pending.count + count
                take(min(count, input.count), from: &input, expectedCount: total)
            }
        }
    }

    private mutating func take(
        _ count: Int, from input: inout UnsafeRawBufferPointer, expectedCount: Int = .max
    ) {
        pending.append(
            UnsafeRawBufferPointer(rebasing: input[..<count]), expectedCount: expectedCount)
        input = UnsafeRawBufferPointer(rebasing: input[count...])
    }

    // MARK: arrays of bulk strings

    /// Goes on in a command that begins with `bytes`, as far as they reach.
    private mutating func advance(_ bytes: UnsafeRawBufferPointer) -> Step {
        if missing < 0 {
            switch readHeader(bytes, .tooBigCount) {
            case .absent: return .needsLine(longest: Self.longestHeaderBytes)
            case .failed(let error): return .failed(error)
            case .number(let count):
                guard count >= 0, count <= limits.maxArguments else {
                    return .failed(.invalidMultibulkLength)
                }
                missing = count
            }
        }
        while missing > 0 {
            if bulkCount < 0, let step = readBulkHeader(bytes) { return step }
            let end = position + bulkCount
            guard end + 2 <= bytes.count else { return .needsBytes(end + 2 - bytes.count) }
            guard bytes[end] == UInt8(ascii: "\r"), bytes[end + 1] == UInt8(ascii: "\n") else {
                return .failed(.missingLineEnd)
            }
            arguments.append(Argument(offset: position, count: bulkCount))
            position = end + 2
            missing -= 1
            bulkCount = -1
        }
        return .complete
    }

    /// Reads "$3": nil when its number is there.
    @inline(__always)
    private mutating func readBulkHeader(_ bytes: UnsafeRawBufferPointer) -> Step? {
        guard position < bytes.count else { return .needsLine(longest: Self.longestHeaderBytes) }
        guard bytes[position] == UInt8(ascii: "$") else {
            return .failed(.unexpectedByte(bytes[position]))
        }
        switch readHeader(bytes, .tooBigBulkCount) {
        case .absent: return .needsLine(longest: Self.longestHeaderBytes)
        case .failed(let error): return .failed(error)
        case .number(let count):
            guard count >= 0, count <= limits.maxBulkBytes else {
                return .failed(.invalidBulkLength)
            }
            guard position + count <= limits.maxCommandBytes else {
                return .failed(.tooBigCommand)
            }
            bulkCount = count
            return nil
        }
    }

    private enum Header {
        /// A negative one stands for what is no number.
        case number(Int)
        /// The line's end has not come.
        case absent
        case failed(ProtocolError)
    }

    /// Reads a letter and a number up to the end of the line, and moves `position` behind it.
    @inline(__always)
    private mutating func readHeader(
        _ bytes: UnsafeRawBufferPointer, _ tooLong: ProtocolError
    ) -> Header {
        var index = position + 1
        var value = 0
        while index < bytes.count, index - position <= 10 {
            let digit = Int(bytes[index] &- UInt8(ascii: "0"))
            if digit > 9 { break }
            // Ten digits at most: no overflow.
            value = value &* 10 &+ digit
            index += 1
        }
        let digits = index - position - 1
        guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\r"),
            bytes[index + 1] == UInt8(ascii: "\n"), digits > 0
        else { return readUnusualHeader(bytes, tooLong) }
        if digits > 1, bytes[position + 1] == UInt8(ascii: "0") { value = -1 }
        position = index + 2
        return .number(value)
    }

    /// The line is not complete, or wrong.
    @inline(never)
    private func readUnusualHeader(
        _ bytes: UnsafeRawBufferPointer, _ tooLong: ProtocolError
    ) -> Header {
        // The answer must not depend on the pieces in which the line arrives.
        let line = bytes[position...].prefix(Self.longestHeaderBytes + 1)
        if line.contains(UInt8(ascii: "\n")) { return .number(-1) }
        return line.count <= Self.longestHeaderBytes ? .absent : .failed(tooLong)
    }

    // MARK: typed lines

    private mutating func advanceInline() -> Step {
        let bytes = pending.bytes
        let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
        searched = bytes.count
        guard let end else {
            return bytes.count > limits.maxInlineBytes + 1
                ? .failed(.tooBigInlineRequest) : .needsLine(longest: limits.maxInlineBytes)
        }
        guard end <= limits.maxInlineBytes + 1 else { return .failed(.tooBigInlineRequest) }
        let line = UnsafeMutableRawBufferPointer(start: pending.start, count: end)
        guard InlineCommand.split(line, into: &arguments) else {
            return .failed(.unbalancedQuotes)
        }
        guard arguments.count <= limits.maxArguments else {
            return .failed(.invalidMultibulkLength)
        }
        position = bytes.count
        return .complete
    }
}

/// What a parser accepts; see `StoreConfiguration`.
struct ParserLimits {
    var maxBulkBytes: Int
    var maxArguments: Int
    var maxInlineBytes: Int
    var maxCommandBytes: Int

    init(_ configuration: StoreConfiguration) {
        maxBulkBytes = configuration.maxBulkBytes
        maxArguments = configuration.maxArguments
        maxInlineBytes = configuration.maxInlineBytes
        maxCommandBytes = configuration.maxCommandBytes
    }
}
