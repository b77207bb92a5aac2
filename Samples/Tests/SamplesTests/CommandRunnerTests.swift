import Glibc
import RingDispatch
import SampleSupport
import Testing

@testable import FileWatchServer

@Suite("FileWatchServer's command", .watchdog)
struct CommandRunnerTests {
    @Test("A burst that began while the command ran is over before the next run")
    func burst() throws {
        let folder = Folder()
        let (begun, go) = (folder("begun"), folder("go"))
        let quiet = TimeSpan(milliseconds: 500)
        let runner = CommandRunner(
            command: ": > \(begun); while [ ! -e \(go) ]; do sleep 0.01; done", quiet: quiet)
        runner.note(1)
        #expect(poll { access(begun, F_OK) == 0 })
        runner.note(1)
        // The changes so far have settled.
        letTimePass(milliseconds: 700)
        let start = DispatchTime.now()
        runner.note(1)
        #expect(runner.counts.successes == 0)
        folder.makeFile("go")
        #expect(poll { runner.counts.successes == 2 })
        #expect(DispatchTime.now() >= start + quiet.interval)
        runner.stop()
    }

    @Test("A stop reaps the processes that this process inherits from the shell, as process 1 does")
    func inherited() throws {
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        let control = unsafeBitCast(dlsym(nil, "prctl"), to: Control.self)
        #expect(control(36, 1, 0, 0, 0) == 0)  // PR_SET_CHILD_SUBREAPER
        defer { _ = control(36, 0, 0, 0, 0) }
        let folder = Folder()
        let link = folder("process")
        let runner = CommandRunner(
            command: "sleep 60 & ln -s $! \(link); wait", quiet: TimeSpan(milliseconds: 1))
        runner.note(1)
        var text = [CChar](repeating: 0, count: 32)
        #expect(poll { readlink(link, &text, 31) > 0 })
        runner.stop()
        let digits = text.prefix { $0 != 0 }.map { UInt8($0) }
        let process = try #require(pid_t(String(decoding: digits, as: UTF8.self)))
        #expect(waitpid(process, nil, WNOHANG) == -1 && errno == ECHILD)
    }
}
