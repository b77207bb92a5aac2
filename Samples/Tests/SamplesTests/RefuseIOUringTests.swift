import Glibc
import Testing

/// The tool that plays the container: what it must do for the other tests to mean something.
@Suite("refuse-io-uring", .watchdog)
struct RefuseIOUringTests {
    @Test(
        "needs a command and options that it knows",
        arguments: [
            [], ["--only"], ["--only", "nothing", "true"], ["--errno", "EBADNAME", "true"],
            ["--seconds", "0", "true"], ["--bogus", "1", "true"], ["--only", "enter"],
        ])
    func usage(arguments: [String]) throws {
        let process = try ChildProcess([Program.launcherPath] + arguments, environment: [])
        #expect(try process.waitForEnd() == .exit(64))
        #expect(process.errors.text.contains("usage: refuse-io-uring"))
    }

    @Test("hands on the command's status")
    func status() throws {
        let command = [Program.launcherPath, "/bin/sh", "-c", "exit 7"]
        #expect(try ChildProcess(command, environment: []).waitForEnd() == .exit(7))
    }

    @Test("says when there is no such command")
    func noCommand() throws {
        let process = try ChildProcess([Program.launcherPath, "/nowhere"], environment: [])
        #expect(try process.waitForEnd() == .exit(126))
        #expect(process.errors.text.contains("/nowhere: No such file or directory"))
    }

    @Test("ends what runs for too long")
    func seconds() throws {
        let command = [Program.launcherPath, "--seconds", "1", "/bin/sleep", "60"]
        #expect(try ChildProcess(command, environment: []).waitForEnd() == .signal(SIGALRM))
    }

    /// A notice, not a check: when it is skipped, half of the cases do not run.
    @Test(
        "this machine has io_uring",
        .enabled(
            if: Setting.usable.contains(.ioUring),
            "io_uring is refused here: the samples are tested on epoll only"))
    func available() {
        #expect(Setting.usable == Setting.allCases)
    }
}
