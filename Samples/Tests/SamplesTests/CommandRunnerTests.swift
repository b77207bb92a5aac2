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
}
