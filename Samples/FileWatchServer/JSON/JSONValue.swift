/// A value that a client has sent. Strings are bytes: a file's name need not be UTF-8.
indirect enum JSONValue: Equatable {
    case null
    case boolean(Bool)
    /// A number that is a whole one of 64 bits.
    case integer(UInt64)
    /// Any other number; nobody here wants one.
    case otherNumber
    case string([UInt8])
    case array([JSONValue])
    case object([Member])

    struct Member: Equatable {
        let name: [UInt8]
        let value: JSONValue
    }
}
