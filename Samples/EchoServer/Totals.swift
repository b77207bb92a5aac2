/// What the server's stream connections came to.
struct Totals: Sendable {
    /// Accepted since the start.
    var connections = 0
    var open = 0
    var traffic = Traffic()
    var ends = Ends()
}
