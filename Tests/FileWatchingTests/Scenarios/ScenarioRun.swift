import Glibc
import LinuxPlatform
import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// One run of a scenario, with one of its windows.
struct ScenarioRun {
    private let scenario: Scenario
    private let windowMilliseconds: Int
    private let folder = Folder(in: Folder.placeForMany)
    private let tree: [UInt8]
    private let roots: [FilePath]
    private let unseen: [[UInt8]]

    init(_ scenario: Scenario, windowMilliseconds: Int) {
        self.scenario = scenario
        self.windowMilliseconds = windowMilliseconds
        let tree = folder("tree").bytes
        self.tree = tree
        roots = scenario.roots.map { FilePath(bytes: tree.resolved(unescaped($0[...]) ?? [])) }
        unseen = scenario.unseen.map(tree.resolved)
    }

    func run() throws {
        #expect(Files.makeDirectory(folder("tree")) && Files.makeDirectory(folder("beside")))
        for operation in scenario.given { perform(operation, line: 0) }
        let initial = scenario.reportsExisting ? [:] : disk()
        var observers: [TreeObserver] = []
        defer { for observer in observers { observer.end() } }
        for _ in 0..<scenario.watcherCount {
            observers.append(try TreeObserver(roots, options: options))
        }
        // How many of each observer's changes have been checked.
        var counts = Array(repeating: 0, count: observers.count)
        // A result is certain only if all changes are read together, however slow the machine is: a
        // window may end between them, and a reader that sees a file gone before the kernel reports
        // its rename finds the new name by a scan.
        var isPaused = false
        for step in scenario.steps {
            switch step {
            case .operation(let operation, let line):
                if !isPaused { for observer in observers { observer.watcher.pause() } }
                isPaused = true
                perform(operation, line: line)
            case .expectation(let expectation):
                if isPaused { for observer in observers { observer.watcher.resume() } }
                isPaused = false
                guard expectation.applies(toWindow: windowMilliseconds) else { continue }
                for index in observers.indices {
                    check(expectation, observers[index], seen: &counts[index])
                }
            }
        }
        if isPaused { for observer in observers { observer.watcher.resume() } }
        for index in observers.indices {
            observers[index].passFence()
            finish(observers[index], from: initial, expected: counts[index])
        }
    }

    private var options: FileTreeOptions {
        var options = FileTreeOptions()
        options.window = .milliseconds(windowMilliseconds)
        options.ignore = scenario.ignored
        options.readsGitignore = scenario.readsGitignore
        options.followsSymlinks = scenario.followsSymlinks
        options.reportsExisting = scenario.reportsExisting
        return options
    }

    private func disk() -> [[UInt8]: Disk.Entry] {
        var entries: [[UInt8]: Disk.Entry] = [:]
        for root in roots { entries.merge(Disk.tree(at: root)) { first, _ in first } }
        return entries.filter { !isIgnored($0.key) }
    }

    private func isIgnored(_ path: [UInt8]) -> Bool {
        unseen.contains { path.isPath(below: $0) }
    }

    private func perform(_ operation: Operation, line: Int) {
        let isDone = operation.perform(in: tree)
        let code = errno
        #expect(isDone, "\(scenario.name).txt:\(line): \(operation): errno \(code)")
    }

    /// Waits until the expected changes have arrived and all earlier changes are reported.
    private func check(_ expectation: Expectation, _ observer: TreeObserver, seen: inout Int) {
        let first = seen
        func isMet(_ received: [TreeObserver.Received]) -> Bool {
            expectation.isMet(by: received.dropFirst(first).map(\.change), in: tree)
        }
        observer.passFence()
        // A late change is no failure, but a missing one is.
        if !isMet(observer.received.value) {
            _ = observer.received.wait(seconds: Patience.seconds, until: isMet)
        }
        let received = observer.received.value
        seen = received.count
        let reported = received.dropFirst(first).map { relative($0.change) }.joined(separator: "\n")
        let place = "\(scenario.name).txt:\(expectation.line), window \(windowMilliseconds) ms"
        #expect(isMet(received), "\(place), reported:\n\(reported)")
    }

    private func relative(_ change: FileChange) -> String {
        var text = describe(change)
        text.replace(folder.path.string + "/tree/", with: "")
        text.replace(folder.path.string + "/", with: "../")
        return text
    }

    private func finish(
        _ observer: TreeObserver, from initial: [[UInt8]: Disk.Entry], expected count: Int
    ) {
        let name = "\(scenario.name), window \(windowMilliseconds) ms"
        let received = observer.received.value.map(\.change)
        if let last = scenario.steps.last, case .expectation(let expectation) = last,
            expectation.applies(toWindow: windowMilliseconds)
        {
            let late = received.dropFirst(count).map { relative($0) }
            #expect(late.isEmpty, "\(name): reported late")
        }
        for change in received where isIgnored(change.path.bytes) {
            Issue.record("\(name): reported \(relative(change))")
        }
        #expect(observer.errors.value.isEmpty, "\(name)")
        guard scenario.isCompared else { return }
        let model = TreeModel(initial, roots: roots)
        model.apply(observer.received.value)
        #expect(model.contradictions.isEmpty, "\(name)")
        let differences = roots.flatMap { model.differences(below: $0, isIgnored: isIgnored) }
        #expect(differences.isEmpty, "\(name)")
        let pictured = observer.snapshotDifferences(below: roots, isIgnored: isIgnored)
        #expect(pictured.isEmpty, "\(name)")
    }
}
