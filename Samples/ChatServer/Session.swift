import RingNetwork

/// One client: a task that reads its lines, and one that writes those of its outbox.
struct Session: Sendable {
    private let client: AsyncConnection
    private let chat: Chat
    private let outbox: Outbox

    private static let longestLine = 1000

    init(_ client: AsyncConnection, _ chat: Chat, _ outbox: Outbox) {
        self.client = client
        self.chat = chat
        self.outbox = outbox
    }

    /// Returns when the client leaves, or the server shuts down; throws when it is disconnected.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await write() }
            defer { outbox.finish() }
            do {
                try await read()
            } catch FrameError.tooLong {
                tell("* a line has at most \(Self.longestLine) bytes")
            }
            outbox.finish()
            // The lines that wait are still sent.
            try await group.waitForAll()
        }
    }

    private func write() async throws {
        for await line in outbox.lines { try await client.send(Array((line + "\n").utf8)) }
    }

    private func read() async throws {
        var lines = client.lines(maximumLength: Self.longestLine).makeAsyncIterator()
        _ = outbox.post("* what is your name?")
        guard let name = try await register(&lines) else { return }
        let member = Chat.Member(name: name, outbox: outbox, connection: client.connection)
        var room = "lobby"
        await chat.join(room, member)
        do {
            while let line = try await lines.next() {
                guard let request = Request(line) else { continue }
                switch request {
                case .say(let text): await chat.post("\(name): \(text)", in: room)
                case .join(let other):
                    await chat.leave(room, member)
                    room = other
                    await chat.join(room, member)
                case .who: try await list(chat.members(of: room))
                case .rooms: try await list(chat.list())
                case .quit: return await leave(room, member)
                case .unknown: tell("* /join ROOM, /who, /rooms, /quit")
                }
            }
            if client.isShuttingDown { tell("* the server stops") }
            await leave(room, member)
        } catch {
            await leave(room, member)
            throw error
        }
    }

    /// Asks until the name is one that nobody has; nil at the end of the stream.
    private func register(_ lines: inout InboundLines.Iterator) async throws -> String? {
        while let name = try await lines.next() {
            if Request.isName(name), await chat.register(name) { return name }
            tell("* that name is taken, or not 1 to \(Chat.longestName) letters and digits")
        }
        return nil
    }

    private func leave(_ room: String, _ member: Chat.Member) async {
        await chat.leave(room, member)
        await chat.unregister(member.name)
    }

    /// Past the outbox, which a long list would fill. Waits, so that only one list is unsent.
    private func list(_ lines: [String]) async throws {
        try await client.send(lines.joined(separator: "\n") + "\n")
    }

    private func tell(_ text: String) {
        if !outbox.post(text) { client.connection.abort() }
    }
}
