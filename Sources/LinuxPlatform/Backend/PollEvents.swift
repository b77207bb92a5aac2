/// poll(2) event bits, which epoll(7) shares.
package enum PollEvents {
    package static let readable: UInt32 = 0x001
    /// Urgent data of TCP (MSG_OOB).
    static let urgent: UInt32 = 0x002
    package static let writable: UInt32 = 0x004
    package static let error: UInt32 = 0x008
    package static let hangUp: UInt32 = 0x010
    package static let invalid: UInt32 = 0x020
    /// The peer of a stream socket sends nothing more.
    package static let readHangUp: UInt32 = 0x2000
}
