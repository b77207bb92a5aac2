internal import LinuxPlatform

/// Tells of the end of a process. `DISPATCH_SOURCE_TYPE_PROC`.
public protocol DispatchSourceProcess: DispatchSourceProtocol {
    /// How the process ended; nil as long as it runs, and when Linux does not tell.
    ///
    /// Linux tells of the program's own children, and from version 6.15 on of all processes, as
    /// soon as their parent has reaped them. Asking reaps nothing: waitpid(2) works as ever. An
    /// unknown process has no status. From any thread, also in and after the cancel handler.
    var exitStatus: DispatchSource.ProcessExitStatus? { get }
}

extension DispatchSourceProcess {
    /// The process's identifier.
    public var handle: Int32 {
        Int32(truncatingIfNeeded: (self as any DispatchSourceProtocol).handle)
    }

    /// What happened: `.exit`. For use in the handler.
    public var data: DispatchSource.ProcessEvent {
        DispatchSource.ProcessEvent(rawValue: (self as any DispatchSourceProtocol).data)
    }

    /// What was asked for.
    public var mask: DispatchSource.ProcessEvent {
        DispatchSource.ProcessEvent(rawValue: (self as any DispatchSourceProtocol).mask)
    }
}

extension DispatchSource {
    /// What a process source can tell. `DISPATCH_PROC_EXIT` and the others of Darwin's.
    public struct ProcessEvent: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The process has ended.
        public static let exit = ProcessEvent(rawValue: 0x8000_0000)
        /// It has made a child. Linux does not tell: asking for it ends the process.
        public static let fork = ProcessEvent(rawValue: 0x4000_0000)
        /// It runs another program. Linux does not tell: asking for it ends the process.
        public static let exec = ProcessEvent(rawValue: 0x2000_0000)
        /// It was sent a signal. Linux does not tell: asking for it ends the process.
        public static let signal = ProcessEvent(rawValue: 0x0800_0000)
        /// All that Darwin tells.
        public static let all: ProcessEvent = [.exit, .fork, .exec, .signal]
    }

    /// How a process ended: what wait(2) reports.
    public enum ProcessExitStatus: Sendable, Hashable {
        /// It ended itself, by exit(3) with the lowest eight bits `code`.
        case exited(code: Int32)
        /// A signal ended it.
        case signaled(signal: Int32, coreDumped: Bool)
    }

    /// Tells once that a process has ended; it need not be a child. `dispatch_source_create` with
    /// `DISPATCH_SOURCE_TYPE_PROC`, and pidfd_open(2).
    ///
    /// The process is fixed when the source is made: a later one with the same identifier is not
    /// mistaken for it. A process that has ended already, or that never was, counts as ended: the
    /// handler is called all the same. Nothing is reaped: children are the program's to wait for,
    /// and its `SIGCHLD` is left alone. Cancel the source when it has told, as any source: its
    /// descriptor is open until then.
    ///
    /// When the system has no descriptor left for it (EMFILE, ENFILE), or refuses pidfd_open(2), a
    /// line on standard error says so, and the process is looked for every 100 ms, until there is
    /// a descriptor or the process is gone: the end comes late then, but it comes. Meanwhile only
    /// the number is known, which the system may give to another process.
    ///
    /// - Parameters:
    ///   - identifier: the process (pid_t). A number that is no process's has ended.
    ///   - eventMask: `.exit`. Linux shows forks, execs and signals of other processes only to
    ///     tracers and to privileged programs, so asking for these ends the process.
    ///   - queue: where the handlers run; nil: the default global queue.
    public static func makeProcessSource(
        identifier: Int32, eventMask: ProcessEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceProcess {
        let name = "a process source of process \(identifier)"
        let names: [(ProcessEvent, String)] = [
            (.fork, ".fork"), (.exec, ".exec"), (.signal, ".signal"),
        ]
        let unknown = names.filter { eventMask.contains($0.0) }.map(\.1)
        if !unknown.isEmpty {
            fatalMisuse(
                "\(name) asks for \(unknown.joined(separator: " and ")), which Linux tells only to "
                    + "a tracer (ptrace) or with CAP_NET_ADMIN (the proc connector, a netlink "
                    + "socket that a read source can watch): ask for .exit alone, and let the "
                    + "other process tell the rest, by a pipe for example")
        }
        guard eventMask == .exit else {
            fatalMisuse(
                "\(name) asks for 0x\(String(eventMask.rawValue, radix: 16)), "
                    + "but its event mask has to be .exit")
        }
        return ProcessSourceObject(ProcessSource(identifier: identifier, queue: queue))
    }
}

private final class ProcessSourceObject: DispatchSource, DispatchSourceProcess, @unchecked Sendable
{
    // Safety: as its superclass; `core` is what `init` was given.
    private var processCore: ProcessSource { unsafeDowncast(core, to: ProcessSource.self) }

    init(_ core: ProcessSource) {
        super.init(core: core)
    }

    override var handle: UInt { UInt(bitPattern: Int(processCore.identifier)) }
    override var mask: UInt { DispatchSource.ProcessEvent.exit.rawValue }
    override var data: UInt {
        processCore.hasExited ? DispatchSource.ProcessEvent.exit.rawValue : 0
    }

    var exitStatus: DispatchSource.ProcessExitStatus? {
        switch processCore.exit {
        case .exited(let code): .exited(code: code)
        case .signaled(let signal, let coreDumped):
            .signaled(signal: signal, coreDumped: coreDumped)
        case nil: nil
        }
    }
}
