import Testing

/// Each rule finds the violations that it is for, and no others.
@Suite("Tidy rules")
struct RulesTests {
    private func file(_ text: String, at path: String = "Sources/LinuxPlatform/Sample.swift")
        -> Repository.File
    {
        Repository.File(path: path, text: text)
    }

    @Test("length of files and lines")
    func lengths() {
        let line = String(repeating: "a", count: 100)
        #expect(Rules.wideLines(file("\(line)\n")).isEmpty)
        #expect(
            Rules.wideLines(file("\n\(line)a\n"))
                == ["Sources/LinuxPlatform/Sample.swift:2: 101 characters"])
        #expect(Rules.tooLong(file(String(repeating: "a\n", count: 500))).isEmpty)
        #expect(Rules.tooLong(file(String(repeating: "a\n", count: 501))).count == 1)
    }

    @Test("length of functions")
    func functions() {
        func function(_ head: String, lines: Int) -> String {
            ([head + " {"] + Array(repeating: "    step()", count: lines - 2) + ["}"])
                .joined(separator: "\n") + "\n"
        }
        for head in [
            "func f()", "    public static func f<T>() throws -> T", "init(a: Int)", "init?()",
            "deinit", "subscript(i: Int) -> Int", "@inline(__always) func f()",
            "private func f(\n    body: () -> Void = { }\n)",
        ] {
            let extra = head.split(separator: "\n").count - 1
            let (longest, tooLong) = (70 - extra, 71 - extra)
            #expect(Rules.longFunctions(file(function(head, lines: longest))).isEmpty, "\(head)")
            #expect(Rules.longFunctions(file(function(head, lines: tooLong))).count == 1, "\(head)")
        }
        let call = function("        self.init(x)\n        let f = x.map", lines: 100)
        #expect(Rules.longFunctions(file(call)).isEmpty)
        let requirements = "protocol P {\n    func f()\n    init()\n}\n"
        #expect(Rules.functions(file(requirements + function("struct S", lines: 99))).isEmpty)
    }

    @Test("braces in comments and literals do not count")
    func literals() {
        let source = ##"""
            func f() {
                // } { " /*
                /* } /* { */ } */
                let a = "}\" { \(g("}", { 1 }) + "{") }"
                let b = """
                    } " "" { \(h { "}" })
                    """
                let c = #"}" \( "# + #"\#(k { "}" })"#
            }

            """##
        #expect(Rules.functions(file(source)).map(\.lines) == [9])
        #expect(codeOnly(source).filter { $0 == "\n" }.count == source.filter { $0 == "\n" }.count)
    }

    @Test("space at the end")
    func space() {
        #expect(Rules.trailingSpace(file("a\n\nb\n")).isEmpty)
        #expect(Rules.trailingSpace(file("a \n\t\nb\n")).count == 2)
        #expect(Rules.trailingSpace(file("a")).count == 1)
        #expect(Rules.trailingSpace(file("a\n\n")).count == 1)
    }

    @Test("notes to oneself")
    func notes() {
        let note = "TO" + "DO"
        #expect(Rules.leftOverNotes(file("// \(note): later\n")).count == 1)
        #expect(Rules.leftOverNotes(file("// \(note)(me)\n")).count == 1)
        #expect(Rules.leftOverNotes(file("mktemp /tmp/X" + "XXXXX; \(note)S\n")).isEmpty)
    }

    @Test("folders of a machine")
    func machinePaths() {
        let folder = "/" + "work/"
        for text in ["\(folder)x", "cd \(folder)", "\"\(folder)\"", "a/b \(folder)", "=\(folder)"] {
            #expect(Rules.machinePaths(file(text)).count == 1, "\(text)")
        }
        for text in ["a\(folder)x", "https://a.example\(folder)", "${root}\(folder)", "/worker/"] {
            #expect(Rules.machinePaths(file(text)).isEmpty, "\(text)")
        }
    }

    @Test(
        "imports",
        arguments: [
            ("Sources/LinuxPlatform/A.swift", "internal import CLinux", true),
            ("Sources/LinuxPlatform/A.swift", "internal import Glibc", true),
            ("Sources/LinuxPlatform/A.swift", "import RingDispatch", false),
            ("Sources/LinuxPlatform/A.swift", "import Foundation", false),
            ("Sources/LinuxPlatform/A.swift", "internal import CLiburing", false),
            ("Sources/RingDispatch/Runtime/A.swift", "internal import CLinux", true),
            ("Sources/RingDispatch/Queues/A.swift", "internal import CLinux", false),
            ("Sources/RingDispatch/Queues/A.swift", "internal import Glibc", false),
            ("Sources/RingDispatch/Queues/A.swift", "@testable import struct Glibc.stat", false),
            ("Sources/RingDispatch/Queues/A.swift", "// import Glibc", true),
            ("Sources/RingDispatch/Queues/A.swift", "internal import Dispatch", false),
            ("Sources/RingDispatch/Queues/A.swift", "internal import Synchronization", true),
            ("Sources/RingDispatch/Time/DispatchWallTime.swift", "public import Glibc", true),
            ("Sources/RingDispatch/Time/DispatchWallTime.swift", "internal import Glibc", false),
            ("Sources/RingNetwork/Endpoints/A.swift", "public import RingDispatch", true),
            ("Sources/RingNetwork/Endpoints/A.swift", "internal import LinuxPlatform", true),
            ("Sources/RingNetwork/Endpoints/A.swift", "internal import CLinux", false),
            ("Sources/RingNetwork/Endpoints/A.swift", "internal import Glibc", false),
            ("Sources/RingDispatch/Queues/A.swift", "internal import RingNetwork", false),
            ("Sources/LinuxPlatform/A.swift", "internal import RingNetwork", false),
            ("Sources/RingTLS/OpenSSL/A.swift", "internal import CTLS", true),
            ("Sources/RingTLS/Engine/A.swift", "internal import LinuxPlatform", true),
            ("Sources/RingTLS/Engine/A.swift", "internal import Glibc", false),
            ("Sources/LinuxPlatform/A.swift", "internal import CTLS", false),
            ("Sources/RingNetwork/A.swift", "internal import CTLS", false),
            ("Sources/RingNetwork/A.swift", "internal import RingTLS", true),
            ("Sources/RingDispatch/Queues/A.swift", "internal import RingTLS", false),
            ("Sources/RingNetwork/A.swift", "internal import FileWatching", false),
            ("Sources/FileWatching/Tree/A.swift", "internal import RingDispatch", true),
            ("Sources/FileWatching/Tree/A.swift", "public import SystemPackage", true),
            ("Sources/FileWatching/Tree/A.swift", "internal import RingNetwork", false),
            ("Sources/FileWatching/Tree/A.swift", "internal import CLinux", false),
            ("Samples/EchoServer/A.swift", "import Glibc", true),
            ("Samples/EchoServer/A.swift", "import RingDispatch", true),
            ("Samples/EchoServer/A.swift", "import RingNetwork", true),
            ("Samples/EchoServer/A.swift", "import RingTLS", true),
            ("Samples/FileWatchServer/A.swift", "import FileWatching", true),
            ("Samples/EchoServer/A.swift", "import ArgumentParser", true),
            ("Samples/EchoServer/A.swift", "import SampleSupport", true),
            ("Samples/EchoServer/A.swift", "internal import LinuxPlatform", false),
            ("Samples/LoadTesting/A.swift", "internal import CLinux", false),
            ("Samples/LoadTesting/A.swift", "internal import CTLS", false),
            ("Samples/Tests/A.swift", "@testable import LinuxPlatform", false),
            ("Tests/LinuxPlatformTests/A.swift", "import Foundation", true),
        ])
    func imports(path: String, line: String, isAllowed: Bool) {
        #expect(Rules.forbiddenImports(file(line + "\n", at: path)).isEmpty == isAllowed)
    }

    @Test("code within a trait")
    func traits() {
        func findings(_ text: String) -> Int { Rules.unguarded(file(text), trait: "TLS").count }
        #expect(findings("#if TLS\nimport A\n#endif\n") == 0)
        #expect(findings("#if !TLS\nenum A {}\n#endif\n") == 0)
        #expect(findings("import A\n#if TLS\n#endif\n") == 1)
        #expect(findings("#if TLS\n#endif\nimport A\n") == 1)
        #expect(findings("#if Logging\nimport A\n#endif\n") == 1)
    }

    @Test("promises")
    func promises() {
        let promise = "final class A: @unchecked Sendable {\n"
        #expect(Rules.unexplainedPromises(file(promise)).count == 1)
        #expect(Rules.unexplainedPromises(file("// Safety: locked.\n" + promise)).isEmpty)
        #expect(Rules.unexplainedPromises(file(promise + "    // Safety: locked.\n")).isEmpty)
        let far = promise + String(repeating: "\n", count: 6) + "// Safety: too far.\n"
        #expect(Rules.unexplainedPromises(file(far)).count == 1)
        #expect(Rules.unexplainedPromises(file("nonisolated(unsafe) var a = 1\n")).count == 1)
        #expect(Rules.unexplainedPromises(file("// @unchecked Sendable\n")).isEmpty)
    }

    @Test("doc comments")
    func documentation() {
        #expect(Rules.undocumentedType(file("import A\n\nstruct Sample {}\n")).count == 1)
        #expect(Rules.undocumentedType(file("/// A sample.\nstruct Sample {}\n")).isEmpty)
        #expect(Rules.undocumentedType(file("/// A.\n@frozen\npublic struct Sample {}\n")).isEmpty)
        #expect(Rules.undocumentedType(file("struct Part {}\n/// A.\nstruct Sample {}\n")).isEmpty)
        #expect(Rules.undocumentedType(file("extension Sample {\n    struct A {}\n}\n")).isEmpty)
    }

    @Test("public names")
    func publicNames() {
        func names(_ text: String) -> [String] { Rules.publicNames(file(text)) }
        #expect(names("public final class A<T>: B {\n    public func b() {}\n}\n") == ["A"])
        #expect(names("@frozen public struct C {}\npublic typealias E = C\n") == ["C", "E"])
        #expect(names("public func f(a: A) {}\npublic func + (a: A, b: A) {}\n") == ["f", "+"])
        #expect(names("struct D {}\nfunc g() {}\n").isEmpty)
        #expect(names("extension A {\n}\npublic extension B {\n}\n").isEmpty)
        #expect(names("@available(*, unavailable, renamed: \"g\")\npublic func f() {}\n").isEmpty)
        #expect(names("@available(\n    *, unavailable\n)\npublic func f() {}\n").isEmpty)
        #expect(names("@available(*, deprecated)\n@inlinable\npublic func f() {}\n") == ["f"])
    }

    @Test("typed throws of public functions")
    func typedThrows() {
        func places(_ text: String) -> Int { Rules.typedPublicThrows(file(text)).count }
        #expect(places("public func f() throws(A) {}\npublic init() throws(A) {}\n") == 2)
        #expect(places("    public init(\n        a: Int\n    ) throws(A) {\n") == 1)
        #expect(places("public func f() throws {\n    do throws(A) {\n    }\n}\n") == 0)
        #expect(places("func f() throws(A) {}\nprivate func g() throws(A) {}\n") == 0)
        #expect(places("public func f<Failure>(_ g: () throws(Failure) -> Void) {}\n") == 0)
    }

    @Test("the contract's rows and their tests")
    func contract() {
        let source =
            "@Test(\"1, 2. a\") f()\n@Test(\n    \"b, c. d\", arguments: [])\n@Test func e()\n"
        #expect(Rules.testNames(file(source)) == ["1, 2. a", "b, c. d"])
        #expect(Rules.rowNumbers("1, 2. a. b") == [1, 2])
        #expect(Rules.rowNumbers("12. a") == [12])
        #expect(Rules.rowNumbers("a 1. b").isEmpty)
        #expect(Rules.rowNumbers("1 a").isEmpty)
        #expect(Rules.unknownRows(file("@Test(\"92, 93. a\")\n")).count == 1)
        let tests = ["A.swift": ["1, 2. a", "b"]]
        func broken(_ rows: String...) -> [String] {
            let rest = Rules.contractRows.dropFirst(rows.count)
                .map { "| \($0) | x | none: y | |\n" }
            let text = rows.map { $0 + "\n" }.joined() + rest.joined()
            return Rules.brokenContract(file(text, at: "C.md"), tests: tests)
        }
        let shown = "x | `1, 2. a` (`A.swift`) | |"
        #expect(broken("| 1 | \(shown)", "| 2 | \(shown)").isEmpty)
        #expect(broken("| 1 | x | `b` (`A.swift`)<br>`1, 2. a` (`A.swift`) | better |").isEmpty)
        #expect(broken("| 1 | x | `b` (`A.swift`) | |").count == 1)
        #expect(broken("| 1 | x | none: | |").count == 1)
        #expect(broken("| 1 | x | `1, 2. a` (`B.swift`) | |").count == 1)
        #expect(broken("| 1 | x | `1. a` (`A.swift`) | |").count == 1)
        #expect(broken("| one | x | none: y | |").count == 1)
        #expect(broken("| 2 | x | none: y | |").count == 2)
    }

    @Test("links")
    func links() {
        let there: Set = ["README.md", "Samples/A/main.swift", "Scripts/x.sh"]
        func broken(_ text: String) -> Int {
            Rules.brokenLinks(file(text, at: "Samples/A/README.md")) { there.contains($0) }.count
        }
        #expect(broken("[a](main.swift) and [b](../../README.md#top)") == 0)
        #expect(broken("`main.swift` and `Scripts/x.sh`") == 0)
        #expect(broken("[a](#top) [b](https://example.org/gone) `swift build` `*.swift`") == 0)
        #expect(broken("[a](gone.swift) and [b](../README.md)") == 2)
        #expect(broken("| accepting | `Gone.swift`, `main.swift` |") == 1)
    }

    @Test("buffered output")
    func output() {
        func buffered(_ code: String) -> Int {
            Rules.bufferedOutput(file("text\n```swift\n\(code)\n```\nfflush(nil)\n", at: "a.md"))
                .count
        }
        #expect(buffered("print(1)") == 0)
        #expect(buffered("print(1)\nfflush(nil)\ndispatchMain()") == 0)
        #expect(buffered("print(1)\ndispatchMain()") == 1)
        #expect(buffered("timer.setEventHandler { print(1) }") == 1)
        #expect(buffered("print(1)\nawait listener.run { _ in }") == 1)
        #expect(Rules.bufferedOutput(file("print(1)\ndispatchMain()\n", at: "a.swift")).count == 1)
    }

    @Test("an article's code")
    func articles() {
        func uncompiled(_ text: String) -> Int {
            Rules.uncompiledCode(file(text, at: "a.md")) { $0 == "Samples/Snippets/B.swift" }.count
        }
        let snippet = "@Snippet(path: \"ring-dispatch-samples/Snippets/B\")\n"
        #expect(uncompiled(snippet) == 0)
        #expect(uncompiled("text\n") == 1)
        #expect(uncompiled("@Snippet(path: \"ring-dispatch/Snippets/B\")\n") == 1)
        #expect(uncompiled(snippet + "```swift\nlet a = 1\n```\n") == 1)
        #expect(uncompiled(snippet + "```swift\n.package(url: \"a\")\n```\n") == 0)
    }

    @Test("the package's dependencies")
    func dependencies() {
        func names(_ text: String) -> [String] {
            Rules.packageDependencies(file(text, at: "Package.swift"))
        }
        #expect(names("[\n    .package(\n        url: \"https://a.org/b/c\")\n]\n") == ["c"])
        #expect(names(".package(url: \"a/b.git\"), .package(path: \"../c\")") == ["b", "c"])
        #expect(names("// .package(url: \"a/b\")\n.product(name: \"A\", package: \"c\")").isEmpty)
    }

    @Test("folders that a document does not name")
    func unnamedFolders() {
        let table = "| `Sources/A` | `One`, `Two` |\n| `Sources/B`, `Sources/C` | `Three` |\n"
        func unnamed(_ folders: String...) -> [String] {
            Rules.unnamedFolders(folders, in: file(table, at: "ARCHITECTURE.md"))
        }
        #expect(unnamed("Sources/A", "Sources/A/One", "Sources/C", "Sources/B/Three").isEmpty)
        #expect(unnamed("Sources/A/Three", "Sources/D", "Sources/D/E").count == 3)
    }

    @Test("a use of a folder that is listed before")
    func upwardUses() {
        let table = file("| `Sources/A` | `Top`, `Low` (it is low) |\n", at: "ARCHITECTURE.md")
        let top = file(
            "final class Tower {\n    let base: Ground\n}\n", at: "Sources/A/Top/T.swift")
        func uses(_ low: String) -> Int {
            let files = [top, file(low, at: "Sources/A/Low/L.swift")]
            return Rules.upwardUses(in: "Sources/A", files: files, architecture: table).count
        }
        #expect(uses("struct Ground {}\n") == 0)
        #expect(uses("struct Ground {}\n// Tower\n") == 0)
        #expect(uses("struct Ground {\n    var top: Tower?\n}\n") == 1)
    }
}
