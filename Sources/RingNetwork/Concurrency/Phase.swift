/// The life of a listener or a datagram socket.
enum Phase {
    case setup
    case active
    case closed
}
