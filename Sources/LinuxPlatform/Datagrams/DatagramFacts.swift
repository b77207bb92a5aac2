/// A datagram's metadata besides its sender.
package struct DatagramFacts {
    package var path: DatagramPath?
    /// The length of each coalesced datagram (UDP_GRO), except that the last may be shorter; 0: not
    /// coalesced.
    package var segmentBytes = 0
    /// The socket's total of datagrams dropped for lack of room, modulo 2^32 (SO_RXQ_OVFL).
    package var kernelDrops: UInt32?
}
