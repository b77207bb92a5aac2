import ArgumentParser

/// Permission bits of a file, written in octal.
struct FileMode: ExpressibleByArgument, Sendable {
    let bits: UInt32

    init?(argument: String) {
        guard let bits = UInt32(argument, radix: 8), bits <= 0o777 else { return nil }
        self.bits = bits
    }
}
