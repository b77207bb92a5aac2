/// Where a connection is in its life, and why it ends.
enum ConnectionLife {
    case setup
    case active
    case closing(CloseReason)
    case closed(CloseReason)

    var state: ConnectionState {
        switch self {
        case .setup: .setup
        case .active: .active
        case .closing: .closing
        case .closed: .closed
        }
    }

    var reason: CloseReason? {
        switch self {
        case .setup, .active: nil
        case .closing(let reason), .closed(let reason): reason
        }
    }
}
