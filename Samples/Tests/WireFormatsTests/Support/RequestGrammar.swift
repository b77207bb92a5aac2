/// The grammar of RFC 9112 as regular expressions, without the parser's code. Each byte is one
/// scalar of the text.
enum RequestGrammar {
    static func contains(_ bytes: [UInt8]) -> Bool {
        var scalars = String.UnicodeScalarView()
        for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
        let text = String(scalars)
        guard let head = text.wholeMatch(of: head) else { return false }
        if let authority = head.output.authority {
            guard !authority.hasPrefix(":"), authority.wholeMatch(of: host) != nil else {
                return false
            }
        }
        let hosts = head.output.fields.matches(of: hostField)
        let lengths = head.output.fields.matches(of: lengthField)
        let isOld = head.output.version == "0"
        return (hosts.count == 1 || isOld && hosts.isEmpty)
            && hosts.allSatisfy { $0.output.value.wholeMatch(of: host) != nil }
            && lengths.count < 2
            && lengths.allSatisfy { $0.output.value.wholeMatch(of: length) != nil }
    }

    // Safety: a regular expression is immutable.
    nonisolated(unsafe) private static let head =
        #/
        (?: [!\#$%&'*+\-.^_`|~0-9A-Za-z]+ \x20
            (?: [Hh][Tt][Tt][Pp]:\/\/(?<authority>[\x21-\x2e\x30-\x3e\x40-\x7e]+)
                (?: [\/?][\x21-\x7e]* )?
            | \/[\x21-\x7e]* )
        | OPTIONS \x20 \* )
        \x20 HTTP\/1\.(?<version>[01])
        (?<fields> (?: \r\n [!\#$%&'*+\-.^_`|~0-9A-Za-z]+ : [\t\x20-\x7e\x80-\xff]* )* )
        /#
        .matchingSemantics(.unicodeScalar)
    nonisolated(unsafe) private static let hostField =
        #/\r\n[Hh][Oo][Ss][Tt]:[\t ]*(?<value>[^\r]*?)[\t ]*(?=\r|$)/#
        .matchingSemantics(.unicodeScalar)
    nonisolated(unsafe) private static let lengthField =
        #/
        \r\n [Cc][Oo][Nn][Tt][Ee][Nn][Tt]-[Ll][Ee][Nn][Gg][Tt][Hh]:
        [\t\x20]* (?<value>[^\r]*?) [\t\x20]* (?=\r|$)
        /#
        .matchingSemantics(.unicodeScalar)
    nonisolated(unsafe) private static let host =
        #/(\[[0-9A-Fa-f:.]+\]|([0-9A-Za-z\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)(:[0-9]*)?/#
        .matchingSemantics(.unicodeScalar)
    nonisolated(unsafe) private static let length = #/[0-9]{1,18}/#
        .matchingSemantics(.unicodeScalar)
}
