/// The sums over the server's stream connections.
struct Totals: Sendable {
    /// Connections accepted since the start.
    var connections = 0
    var open = 0
    var traffic = Traffic()
    var ends = Ends()
}
