/// A socket that connects, or is connected already.
package struct ConnectingSocket: Sendable {
    package enum Progress: Sendable {
        case connected
        /// The socket becomes writable when the attempt has ended.
        case pending
        /// A Unix socket whose listener's backlog is full: the kernel does not report when another
        /// attempt may succeed.
        case busy
    }

    package let descriptor: Int32
    package let progress: Progress
}
