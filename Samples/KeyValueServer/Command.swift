/// A command of the protocol.
struct Command: Sendable {
    /// How many words it has, its name included; negative: at least so many.
    let arity: Int
    /// Whether it may add data: it is refused when memory is short.
    var grows = false
    let run: @Sendable (Session, Request) -> Reply

    static let all = strings.merging(keys) { $1 }.merging(server) { $1 }

    static func execute(_ request: Request, _ session: Session) -> Reply {
        guard let command = all[request[0].name] else {
            // A web page made a browser send these: the rest might be read as commands.
            session.isClosing = ["post", "host:"].contains(request[0].name)
            var words = ""
            for word in request.dropFirst() where words.utf8.count < 128 {
                words += "'\(word.text.prefix(128 - words.utf8.count))' "
            }
            return .error(
                "ERR unknown command '\(request[0].text)', with args beginning with: \(words)")
        }
        guard command.arity < 0 ? request.count >= -command.arity : request.count == command.arity
        else { return .wrongCount(request[0].name) }
        guard !command.grows || !session.database.isFull else {
            return .error("OOM command not allowed when used memory > 'maxmemory'.")
        }
        return command.run(session, request)
    }
}
