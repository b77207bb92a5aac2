extension DispatchSource {
    /// The end of a process, for `for await`: one element, then the sequence ends. It also ends
    /// when the task is cancelled.
    ///
    /// It is about the process that has the identifier now, as with
    /// ``makeProcessSource(identifier:eventMask:queue:)``: it need not be a child, and one that has
    /// ended already counts as well. Nothing is reaped: you still wait for your children.
    /// - Parameter process: pid_t.
    public static func exit(of process: Int32) -> EventSequence<ProcessExit> {
        EventSequence(
            events: SourceEvents(label: "ringdispatch.exit-sequence", isLast: true) { queue in
                [makeProcessSource(identifier: process, eventMask: .exit, queue: queue)]
            } add: { exit, source in
                let status = (source as? any DispatchSourceProcess)?.exitStatus
                exit = [ProcessExit(process: process, status: status)]
            })
    }

    /// The element of ``exit(of:)``.
    public struct ProcessExit: Sendable, Hashable {
        /// The process.
        public let process: Int32
        /// How it ended; nil where Linux does not report it: see
        /// ``DispatchSourceProcess/exitStatus``.
        public let status: ProcessExitStatus?

        /// Creates an element, for tests of code that receives them.
        public init(process: Int32, status: ProcessExitStatus?) {
            self.process = process
            self.status = status
        }
    }
}
