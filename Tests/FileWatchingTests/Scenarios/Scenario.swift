import Glibc
import SystemPackage

/// A script of file operations and expected changes, from a text file. `Files/README.md` describes
/// the language.
struct Scenario: Sendable {
    enum Step: Sendable {
        case operation(Operation, line: Int)
        case expectation(Expectation)
    }

    /// Folder and file name, without `.txt`.
    let name: String
    var windowsMilliseconds: [Int] = [50]
    /// Below the folder `tree`, or beside it.
    var roots = ["."]
    var ignored: [String] = []
    /// Paths that must not be reported, with all their descendants. They are not compared.
    var unseen: [[UInt8]] = []
    var readsGitignore = false
    var followsSymlinks = false
    var reportsExisting = false
    /// The number of watchers of the same roots. Each must receive all changes.
    var watcherCount = 1
    /// Whether the changes must account for the state of the disk.
    var isCompared = true
    /// Operations before the watchers start.
    var given: [Operation] = []
    var steps: [Step] = []
}

/// A syntax error in a scenario.
struct ScenarioError: Error, CustomStringConvertible {
    let name: String
    let line: Int
    let problem: String

    var description: String { "\(name).txt:\(line): \(problem)" }
}

extension Scenario {
    private enum Section { case head, given, steps, expectation }

    init(name: String, text: String) throws {
        self.name = name
        var section = Section.head
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let words = line.split(separator: " ")
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            func problem(_ text: String) -> ScenarioError {
                ScenarioError(name: name, line: index + 1, problem: text)
            }
            if line.hasPrefix(" ") {
                switch section {
                case .head: throw problem("neither given, do nor expect")
                case .given:
                    guard let operation = Operation(words) else { throw problem("no operation") }
                    given.append(operation)
                case .steps:
                    guard let operation = Operation(words) else { throw problem("no operation") }
                    steps.append(.operation(operation, line: index + 1))
                case .expectation:
                    guard case .expectation(var expectation) = steps.removeLast(),
                        let pattern = ChangePattern(words)
                    else { throw problem("no change") }
                    expectation.add(pattern)
                    steps.append(.expectation(expectation))
                }
                continue
            }
            switch first {
            case "given": section = .given
            case "do": section = .steps
            case "expect":
                guard let expectation = Expectation(words.dropFirst(), line: index + 1) else {
                    throw problem("expect what?")
                }
                steps.append(.expectation(expectation))
                section = .expectation
            case "or":
                guard section == .expectation,
                    case .expectation(var expectation) = steps.removeLast()
                else { throw problem("or without expect") }
                expectation.addWay(isOrdered: !words.contains("unordered"))
                steps.append(.expectation(expectation))
            default:
                guard section == .head, readOption(first, words.dropFirst()) else {
                    throw problem("unknown: \(line)")
                }
            }
        }
        guard steps.contains(where: { if case .expectation = $0 { true } else { false } }) else {
            throw ScenarioError(name: name, line: 1, problem: "nothing is expected")
        }
    }

    private mutating func readOption(_ name: Substring, _ values: ArraySlice<Substring>) -> Bool {
        switch name {
        case "window": windowsMilliseconds = values.compactMap { Int($0) }
        case "roots": roots = values.map(String.init)
        case "ignore":
            ignored += values.map { String(decoding: unescaped($0) ?? [], as: UTF8.self) }
        case "unseen": unseen += values.compactMap(unescaped)
        case "gitignore": readsGitignore = true
        case "follow-symlinks": followsSymlinks = true
        case "existing": reportsExisting = true
        case "watchers": watcherCount = values.first.flatMap { Int($0) } ?? 0
        case "uncompared": isCompared = false
        default: return false
        }
        return !windowsMilliseconds.isEmpty && watcherCount > 0
    }
}

extension Scenario {
    private static let folder = FilePath(#filePath).removingLastComponent().appending("Files")

    /// All scenarios by name, and the errors of the unreadable ones.
    static let all: (scenarios: [Scenario], errors: [String]) = {
        var scenarios: [Scenario] = []
        var errors: [String] = []
        for group in (entryNames(of: folder) ?? []).map({ String(decoding: $0, as: UTF8.self) }) {
            for file in entryNames(of: folder.appending(group)) ?? [] {
                let file = String(decoding: file, as: UTF8.self)
                guard file.hasSuffix(".txt") else { continue }
                let path = folder.appending(group).appending(file)
                do {
                    let name = "\(group)/\(file.dropLast(4))"
                    scenarios.append(try Scenario(name: name, text: text(at: path)))
                } catch {
                    errors.append("\(error)")
                }
            }
        }
        return (scenarios.sorted { $0.name < $1.name }, errors)
    }()

    private static func text(at path: FilePath) throws -> String {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
                if count == 0 { return String(decoding: bytes, as: UTF8.self) }
                bytes += buffer[..<count]
            }
        }
    }
}
