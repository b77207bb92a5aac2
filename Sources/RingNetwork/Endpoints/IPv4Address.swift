internal import LinuxPlatform

/// An IPv4 address. Its text form is four decimal numbers: `192.0.2.1`.
public struct IPv4Address: Sendable, Hashable {
    /// The address as a number: `0x7f000001` is 127.0.0.1.
    public let rawValue: UInt32

    /// An address from its number in the machine's own byte order: `0x7f000001` is 127.0.0.1.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Makes an address from the four numbers of the text form.
    public init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        rawValue = [first, second, third, fourth].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Reads exactly four decimal numbers, without leading zeros (which inet_aton(3) reads as
    /// octal) and without hexadecimal numbers.
    /// - Throws: ``EndpointError``, with the reason and the remedy.
    public init(_ string: String) throws {
        self = try IPv4Address(text: Array(string.utf8)[...])
    }

    /// The wildcard address for servers: 0.0.0.0.
    public static let any = IPv4Address(rawValue: 0)
    /// 127.0.0.1.
    public static let loopback = IPv4Address(rawValue: 0x7f00_0001)

    /// 0.0.0.0.
    public var isUnspecified: Bool { rawValue == 0 }
    /// 127.0.0.0/8.
    public var isLoopback: Bool { rawValue >> 24 == 127 }
    /// 224.0.0.0/4.
    public var isMulticast: Bool { rawValue >> 28 == 0xe }
    /// 169.254.0.0/16.
    public var isLinkLocal: Bool { rawValue >> 16 == 0xa9fe }
}

extension IPv4Address: CustomStringConvertible {
    public var description: String {
        "\(rawValue >> 24).\(rawValue >> 16 & 0xff).\(rawValue >> 8 & 0xff).\(rawValue & 0xff)"
    }
}

extension IPv4Address {
    init(text: ArraySlice<UInt8>) throws(EndpointError) {
        guard let number = AddressText.number(text, as: UInt32.self) else {
            throw EndpointError(
                .invalidIPv4Address, text, "is not an IPv4 address",
                remedy: "write four decimal numbers from 0 to 255 without leading zeros, "
                    + "such as 192.0.2.1")
        }
        rawValue = number
    }
}
