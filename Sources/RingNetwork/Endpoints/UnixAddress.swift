internal import LinuxPlatform

/// The name of a Unix socket: a path, or a name in the abstract namespace, which has no file.
/// unix(7).
///
/// The text form is `unix:/run/app.sock`, `unix:relative/path`, or `unix:@name` for an abstract
/// name; `unix:///run/app.sock` is read, too. The name is percent-encoded: `%`, `?`, `#`, spaces
/// and control characters must be encoded, and `%2F` stands for the byte 0x2f anywhere.
public struct UnixAddress: Sendable, Hashable {
    /// The bytes of the path or name, without a leading or trailing NUL.
    public let bytes: [UInt8]
    /// Whether the name is in the abstract namespace, which has no file and no permissions.
    public let isAbstract: Bool

    /// Most bytes of a path or abstract name.
    public static let longestBytes = SocketAddress.longestUnixName

    /// A socket with a file. A relative path starts at the current directory.
    /// - Throws: ``EndpointError``, if it is empty, too long, or a path with a NUL.
    public init(path: String) throws {
        try self.init(bytes: Array(path.utf8), isAbstract: false)
    }

    /// A socket without a file.
    /// - Throws: ``EndpointError``, if it is empty, too long, or a path with a NUL.
    public init(abstractName: String) throws {
        try self.init(bytes: Array(abstractName.utf8), isAbstract: true)
    }

    /// - Parameters:
    ///   - bytes: 1 to 107; a path must not contain NUL.
    ///   - isAbstract: whether they are a name in the abstract namespace, or a path.
    /// - Throws: ``EndpointError``, if it is empty, too long, or a path with a NUL.
    public init(bytes: [UInt8], isAbstract: Bool) throws {
        let kind = isAbstract ? "abstract name" : "path"
        guard !bytes.isEmpty else {
            throw EndpointError(
                .emptyUnixName, bytes, "is the empty \(kind) of a Unix socket",
                remedy: "write unix:/path or unix:@name")
        }
        guard bytes.count <= UnixAddress.longestBytes else {
            throw EndpointError(
                .unixNameTooLong, bytes,
                "has \(bytes.count) bytes; the \(kind) of a Unix socket has at most "
                    + "\(UnixAddress.longestBytes)",
                remedy: isAbstract
                    ? "shorten it" : "use a shorter path, or one from the current directory")
        }
        guard isAbstract || !bytes.contains(0) else {
            throw EndpointError(
                .unixPathHasNUL, bytes, "has a NUL byte, which a path cannot contain",
                remedy: "remove it; an abstract name begins with '@' here")
        }
        self.bytes = bytes
        self.isAbstract = isAbstract
    }

    /// Makes an address from the kernel's bytes.
    init(kernel bytes: [UInt8], isAbstract: Bool) {
        self.bytes = bytes
        self.isAbstract = isAbstract
    }

    /// The path; nil for an abstract name, and for bytes that are not UTF-8.
    public var path: String? { isAbstract ? nil : String(validating: bytes, as: UTF8.self) }

    /// The abstract name; nil for a path, and for bytes that are not UTF-8.
    public var abstractName: String? {
        isAbstract ? String(validating: bytes, as: UTF8.self) : nil
    }
}

extension UnixAddress: CustomStringConvertible {
    public var description: String {
        let at = UInt8(ascii: "@")
        if isAbstract { return "unix:@" + PercentEncoding.encode(bytes) }
        if bytes.first == at {
            return "unix:" + PercentEncoding.encode(at) + PercentEncoding.encode(bytes.dropFirst())
        }
        // Two slashes would introduce a host.
        let isLikeHost = bytes.starts(with: "//".utf8)
        return (isLikeHost ? "unix://" : "unix:") + PercentEncoding.encode(bytes)
    }
}

extension UnixAddress {
    static let scheme = Array("unix:".utf8)

    /// - Parameter text: the text after `unix:`.
    init(textAfterScheme text: ArraySlice<UInt8>) throws {
        var name = text
        if name.starts(with: "//".utf8) {
            name = name.dropFirst(2)
            guard name.isEmpty || name.first == UInt8(ascii: "/") else {
                throw EndpointError(
                    .strayCharacters, UnixAddress.scheme + text, "has a host",
                    remedy: "write unix:/path, unix:///path or unix:@name")
            }
        }
        let isAbstract = name.first == UInt8(ascii: "@")
        let bytes = try PercentEncoding.decode(isAbstract ? name.dropFirst() : name)
        try self.init(bytes: bytes, isAbstract: isAbstract)
    }
}
