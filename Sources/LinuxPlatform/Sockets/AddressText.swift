internal import Glibc

/// The text form of IP addresses. inet_pton(3).
package enum AddressText {
    /// The number of an IPv4 address (`UInt32`) or an IPv6 address (`UInt128`); nil if the text is
    /// none.
    package static func number<Number: FixedWidthInteger>(
        _ text: some Collection<UInt8>, as type: Number.Type = Number.self
    ) -> Number? {
        // A NUL would end the text.
        guard !text.contains(0) else { return nil }
        let family = Number.bitWidth == 32 ? AF_INET : AF_INET6
        var number: Number = 0
        let result = inet_pton(family, String(decoding: text, as: UTF8.self), &number)
        return result == 1 ? Number(bigEndian: number) : nil
    }
}
