/// poll(2) event bits, which epoll(7) shares. Inlinable, so that other modules see constants.
@usableFromInline
package enum PollEvents {
    @inlinable package static var readable: UInt32 { 0x001 }
    /// Urgent data of TCP (MSG_OOB).
    @inlinable package static var urgent: UInt32 { 0x002 }
    @inlinable package static var writable: UInt32 { 0x004 }
    @inlinable package static var error: UInt32 { 0x008 }
    @inlinable package static var hangUp: UInt32 { 0x010 }
    @inlinable package static var invalid: UInt32 { 0x020 }
    /// The peer of a stream socket sends nothing more.
    @inlinable package static var readHangUp: UInt32 { 0x2000 }
    /// Reported whether or not they were asked for.
    @inlinable package static var always: UInt32 { error | hangUp }
    /// EPOLLET, whose type differs between the headers of C libraries. Only for `ReadinessSet`.
    @inlinable package static var edgeTriggered: UInt32 { 1 << 31 }
}
