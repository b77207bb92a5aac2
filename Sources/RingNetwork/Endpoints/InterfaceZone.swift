internal import LinuxPlatform

/// The link of an IPv6 address, as the name or the index of an interface: `eth0` in `fe80::1%eth0`
/// (RFC 4007).
///
/// A name is resolved when a socket uses the endpoint, not before. The kernel reports only indexes,
/// so a peer's zone is always an index. A name never equals an index.
public struct InterfaceZone: Sendable, Hashable {
    /// The kernel's index of the interface; nil for a zone with a name.
    public var index: UInt32? {
        if case .index(let index) = content { index } else { nil }
    }

    /// The interface's name; nil for a zone with an index.
    public var name: String? {
        if case .name(let name) = content { name } else { nil }
    }

    private let content: Content

    private enum Content: Sendable, Hashable {
        case index(UInt32)
        case name(String)
    }

    /// Nil for 0, which means no zone.
    public init?(index: UInt32) {
        guard index != 0 else { return nil }
        content = .index(index)
    }

    /// Reads an index, if the text consists of digits, or a name.
    /// - Throws: ``EndpointError``, with the reason and the remedy.
    public init(_ string: String) throws {
        self = try InterfaceZone(text: Array(string.utf8)[...])
    }

    init(text: ArraySlice<UInt8>) throws(EndpointError) {
        if let number = DecimalNumber.parse(text, most: Int(UInt32.max)), number > 0 {
            content = .index(UInt32(number))
            return
        }
        let isName =
            1...NetworkInterfaces.longestNameBytes ~= text.count
            && !text.allSatisfy(\.isDecimalDigit) && text.allSatisfy(InterfaceZone.isInNames)
        // Interfaces cannot be named `.` or `..`, because they appear as folders in /sys.
        guard isName, let name = String(validating: text, as: UTF8.self),
            ![".", ".."].contains(name)
        else {
            throw EndpointError(
                .invalidZone, text, "is not the zone of an IPv6 address",
                remedy: "write the name or the index of a network interface, such as eth0")
        }
        content = .name(name)
    }

    /// The kernel's characters for names, except those that end a zone in an endpoint.
    private static func isInNames(_ byte: UInt8) -> Bool {
        0x21...0x7e ~= byte && !"/:%[]".utf8.contains(byte)
    }
}

extension InterfaceZone: CustomStringConvertible {
    public var description: String {
        switch content {
        case .index(let index): String(index)
        case .name(let name): name
        }
    }
}
