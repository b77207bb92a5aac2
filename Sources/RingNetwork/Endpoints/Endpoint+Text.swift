extension Endpoint: CustomStringConvertible {
    public var description: String {
        switch self {
        case .ipv4(let address, let port): "\(address):\(port)"
        case .ipv6(let address, let port, nil): "[\(address)]:\(port)"
        case .ipv6(let address, let port, let zone?): "[\(address)%\(zone)]:\(port)"
        case .host(let name, let port): "\(name):\(port)"
        case .unix(let address): address.description
        }
    }
}

extension Endpoint {
    /// Reads `host:port`, `[IPv6 address]:port` or `unix:name`.
    /// - Throws: ``EndpointError``, with the reason and the remedy.
    public init(_ string: String) throws {
        let text = Array(string.utf8)[...]
        if let name = text.afterUnixScheme {
            self = .unix(try UnixAddress(textAfterScheme: name))
            return
        }
        guard text.firstRange(of: "://".utf8) == nil else {
            throw EndpointError(
                .unexpectedScheme, text, "has a scheme",
                remedy: "write host:port only")
        }
        if text.first == UInt8(ascii: "[") {
            try self.init(bracketed: text)
            return
        }
        let colon = UInt8(ascii: ":")
        guard let end = text.firstIndex(of: colon) else { throw EndpointError.missingPort(text) }
        guard text.lastIndex(of: colon) == end else {
            throw EndpointError(
                .missingBrackets, text, "has more than one colon",
                remedy: "put the IPv6 address in brackets: [::1]:80")
        }
        try self.init(nameOrIPv4: text[..<end], port: Endpoint.port(text[(end + 1)...], of: text))
    }

    private init(bracketed text: ArraySlice<UInt8>) throws(EndpointError) {
        guard let end = text.firstIndex(of: UInt8(ascii: "]")) else {
            throw EndpointError(
                .unclosedBracket, text, "has a bracket that is not closed",
                remedy: "write ']' after the IPv6 address: [::1]:80")
        }
        let rest = text[(end + 1)...]
        guard let first = rest.first else { throw .missingPort(text) }
        guard first == UInt8(ascii: ":") else {
            throw EndpointError(
                .strayCharacters, text, "has characters between the bracket and the port",
                remedy: "write a colon and the port after ']'")
        }
        let port = try Endpoint.port(rest.dropFirst(), of: text)
        try self.init(ipv6: text[..<end].dropFirst(), port: port)
    }

    init(ipv6 text: ArraySlice<UInt8>, port: UInt16) throws(EndpointError) {
        let sign = text.firstIndex(of: UInt8(ascii: "%"))
        let address = try IPv6Address(text: text[..<(sign ?? text.endIndex)])
        let zone = try sign.map { at throws(EndpointError) in
            try InterfaceZone(text: text[(at + 1)...])
        }
        self = .ipv6(address, port: port, zone: zone)
    }

    init(nameOrIPv4 text: ArraySlice<UInt8>, port: UInt16) throws(EndpointError) {
        self =
            HostName.endsInNumber(text)
            ? .ipv4(try IPv4Address(text: text), port: port)
            : .host(try HostName(text: text), port: port)
    }

    private static func port(
        _ digits: ArraySlice<UInt8>, of text: ArraySlice<UInt8>
    ) throws(EndpointError) -> UInt16 {
        if digits.isEmpty { throw .missingPort(text) }
        if let number = DecimalNumber.parse(digits, most: Int(UInt16.max)) { return UInt16(number) }
        if let stray = digits.firstIndex(where: { !$0.isDecimalDigit }), stray > digits.startIndex {
            throw EndpointError(
                .strayCharacters, text, "has characters after the port",
                remedy: "remove it; an endpoint has no path")
        }
        guard digits.allSatisfy(\.isDecimalDigit), digits.first != UInt8(ascii: "0") else {
            throw EndpointError(
                .invalidPort, text, "has a port that is not a decimal number",
                remedy: "write digits after the colon, without leading zeros")
        }
        throw EndpointError(
            .portOutOfRange, text, "has a port above 65535", remedy: "use one from 0 to 65535")
    }
}

extension EndpointError {
    fileprivate static func missingPort(_ text: ArraySlice<UInt8>) -> EndpointError {
        EndpointError(.missingPort, text, "has no port", remedy: "write one: host:80, [::1]:80")
    }
}

extension ArraySlice<UInt8> {
    /// The text after `unix:`, which may be in upper case; nil without it.
    fileprivate var afterUnixScheme: ArraySlice<UInt8>? {
        let scheme = UnixAddress.scheme
        return prefix(scheme.count).elementsEqual(scheme) { $0.lowercasedASCII == $1 }
            ? dropFirst(scheme.count) : nil
    }
}
