internal import Glibc

/// The text of a file; nil, with the cause in errno, if it cannot be opened.
package func contents(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return String(decoding: text, as: UTF8.self) }
        text += buffer[..<count]
    }
}
