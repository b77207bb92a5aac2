internal import LinuxPlatform

/// Reports the end of a process. `DISPATCH_SOURCE_TYPE_PROC`.
public protocol DispatchSourceProcess: DispatchSourceProtocol {
    /// How the process ended; nil while it runs, or if Linux does not report it.
    ///
    /// Linux reports it for the program's own children. Linux 6.15 and later also report it for any
    /// other process, once that process's parent has reaped it. Reading the status reaps nothing:
    /// waitpid(2) still works. The status stays nil for a process that did not exist when the
    /// source was made. You may read it on any thread, also in the cancel handler and later.
    var exitStatus: DispatchSource.ProcessExitStatus? { get }
}

extension DispatchSourceProcess {
    /// The process's identifier.
    public var handle: Int32 {
        Int32(truncatingIfNeeded: (self as any DispatchSourceProtocol).handle)
    }

    /// The event: `.exit`. Valid in the handler.
    public var data: DispatchSource.ProcessEvent {
        DispatchSource.ProcessEvent(rawValue: (self as any DispatchSourceProtocol).data)
    }

    /// The requested events.
    public var mask: DispatchSource.ProcessEvent {
        DispatchSource.ProcessEvent(rawValue: (self as any DispatchSourceProtocol).mask)
    }
}

extension DispatchSource {
    /// Events of a process source: `DISPATCH_PROC_EXIT`, and the others that Darwin has.
    public struct ProcessEvent: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The process has ended.
        public static let exit = ProcessEvent(rawValue: 0x8000_0000)
        /// The process has forked. Linux does not report it: asking for it ends your program.
        public static let fork = ProcessEvent(rawValue: 0x4000_0000)
        /// The process has called exec. Linux does not report it: asking for it ends your program.
        public static let exec = ProcessEvent(rawValue: 0x2000_0000)
        /// The process got a signal. Linux does not report it: asking for it ends your program.
        public static let signal = ProcessEvent(rawValue: 0x0800_0000)
        /// All of Darwin's events.
        public static let all: ProcessEvent = [.exit, .fork, .exec, .signal]
    }

    /// How a process ended, as wait(2) reports it.
    public enum ProcessExitStatus: Sendable, Hashable {
        /// The process called exit(3); `code` is the lowest eight bits of its argument.
        case exited(code: Int32)
        /// A signal ended the process.
        case signaled(signal: Int32, coreDumped: Bool)

        init(waitStatus: Int32) {
            let signal = waitStatus & 0x7f
            self =
                signal == 0
                ? .exited(code: waitStatus >> 8 & 0xff)
                : .signaled(signal: signal, coreDumped: waitStatus & 0x80 != 0)
        }
    }

    /// Makes a source that reports once that a process has ended. The process need not be a child.
    /// `dispatch_source_create` with `DISPATCH_SOURCE_TYPE_PROC`, based on pidfd_open(2).
    ///
    /// The source refers to the process that has the identifier when the source is made, never to a
    /// later one. If that process has already ended, or never existed, the handler is called all
    /// the same. The source reaps nothing and does not touch `SIGCHLD`: you still wait for your
    /// children. Cancel the source after the event, because it keeps a descriptor open until then.
    ///
    /// If no descriptor is free (EMFILE, ENFILE) or pidfd_open(2) is refused, the source logs a
    /// line on standard error and polls the process every 100 ms, until a descriptor is free or the
    /// process is gone. In this case the event may be late, and the source knows the process only
    /// by its number, which the system may reuse.
    ///
    /// - Parameters:
    ///   - identifier: the process (pid_t). If there is no such process, it counts as ended.
    ///   - eventMask: `.exit`. Linux reports forks, execs and signals of other processes only to
    ///     tracers and privileged programs; asking for them ends your program.
    ///   - queue: runs the handlers; nil: the default global queue.
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
        return ProcessSourceObject(core: ProcessSource(identifier: identifier, queue: queue))
    }
}

private final class ProcessSourceObject: DispatchSource, DispatchSourceProcess, @unchecked Sendable
{
    // Safety: see the superclass; the make function passes a ProcessSource.
    private var processCore: ProcessSource { unsafeDowncast(core, to: ProcessSource.self) }

    override var mask: UInt { DispatchSource.ProcessEvent.exit.rawValue }

    var exitStatus: DispatchSource.ProcessExitStatus? {
        processCore.waitStatus.map(DispatchSource.ProcessExitStatus.init(waitStatus:))
    }
}
