/// What the kernel tells of a datagram besides its bytes and its sender.
package struct DatagramFacts {
    package var path: DatagramPath?
    /// The length of each of the datagrams that the kernel has put together (UDP_GRO), but of the
    /// last one, which may be shorter; 0: it is one.
    package var segmentBytes = 0
    /// How many datagrams the socket has lost for lack of room so far, modulo 2^32 (SO_RXQ_OVFL).
    package var kernelDrops: UInt32?
}
