/// The program's handler. Its calls are serialized, so the closure need not be `Sendable`.
struct IOHandler: @unchecked Sendable {
    // Safety: an operation's calls are made one after the other.
    typealias Block = (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void
    private let block: Block

    init(_ block: @escaping Block) { self.block = block }

    func call(_ done: Bool, _ data: DispatchData?, _ error: Int32) { block(done, data, error) }
}
