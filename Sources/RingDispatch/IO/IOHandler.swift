/// A handler of the program. The queue keeps two calls apart, whatever the closure captures.
struct IOHandler: @unchecked Sendable {
    // Safety: calls of one operation are made one after the other.
    typealias Block = (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void
    private let block: Block

    init(_ block: @escaping Block) { self.block = block }

    func call(_ done: Bool, _ data: DispatchData?, _ error: Int32) { block(done, data, error) }
}
