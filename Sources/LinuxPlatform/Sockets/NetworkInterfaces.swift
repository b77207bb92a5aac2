internal import Glibc

/// The machine's network interfaces. if_nametoindex(3).
package enum NetworkInterfaces {
    /// The longest name, without the terminating NUL.
    package static let longestNameBytes = Int(IF_NAMESIZE) - 1

    /// Nil if no interface has the name.
    package static func index(of name: String) -> UInt32? {
        let index = if_nametoindex(name)
        return index == 0 ? nil : index
    }

    /// Nil if no interface has the index.
    package static func name(of index: UInt32) -> String? {
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        return if_indextoname(index, &name).map { String(cString: $0) }
    }
}
