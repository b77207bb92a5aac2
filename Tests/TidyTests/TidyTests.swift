import Testing

/// Rules of style and layout that a test can check. Each violation is listed with file and line.
@Suite("Tidy")
struct TidyTests {
    private static let documents = Repository.files.filter { file in
        ["README.md", "ARCHITECTURE.md", "Contract.md"].contains { file.path.hasSuffix($0) }
            || file.path.contains(".docc/")
    }

    private func check(
        _ files: [Repository.File], _ rule: (Repository.File) -> [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let findings = files.flatMap(rule)
        #expect(
            findings.isEmpty, "\(findings.count):\n\(findings.joined(separator: "\n"))",
            sourceLocation: sourceLocation)
    }

    @Test("the repository is there")
    func repository() {
        #expect(Repository.exists("Package.swift"))
        #expect(Repository.files(under: "Sources/LinuxPlatform").count > 5)
        #expect(Repository.files(under: "Tests/TidyTests").count > 5)
    }

    @Test("no Swift file over 500 lines")
    func fileLength() { check(Repository.swiftFiles, Rules.tooLong) }

    @Test("no line over 100 columns")
    func lineLength() { check(Repository.swiftFiles, Rules.wideLines) }

    @Test("no function over 70 lines")
    func functionLength() { check(Repository.swiftFiles, Rules.longFunctions) }

    @Test("README and ARCHITECTURE stay short")
    func documentLength() throws {
        for (path, limit) in [("README.md", 200), ("ARCHITECTURE.md", 150)] {
            let document = try #require(Repository.files.first { $0.path == path })
            #expect(document.lines.count <= limit, "\(path)")
        }
    }

    @Test("no space at the end of a line, one end of line at the end of a file")
    func trailingSpace() { check(Repository.files, Rules.trailingSpace) }

    @Test("no notes to oneself")
    func notes() { check(Repository.files, Rules.leftOverNotes) }

    @Test("imports point one way, and only LinuxPlatform uses the C library")
    func imports() { check(Repository.swiftFiles, Rules.forbiddenImports) }

    @Test("every module is known to the rule about imports")
    func modules() {
        let modules = Repository.folders(in: "Sources").compactMap { $0.split(separator: "/").last }
        #expect(modules.sorted() == Rules.moduleImports.keys.sorted())
    }

    @Test("without traits the package depends on swift-system and on no other package")
    func dependencies() throws {
        let manifest = try #require(Repository.files.first { $0.path == "Package.swift" })
        let packages = [
            "swift-system", "FlyingFox", "swift-log", "swift-metrics", "swift-service-lifecycle",
        ]
        #expect(Rules.packageDependencies(manifest) == packages)
        let uses = manifest.lines.filter { $0.contains(".product(name:") }
        let unconditional = uses.filter { !$0.contains("condition: .when(traits:") }
        #expect(unconditional.allSatisfy { $0.contains("swift-system") }, "\(unconditional)")
    }

    @Test("ARCHITECTURE names every module and every folder of the libraries")
    func architecture() throws {
        let modules = ["LinuxPlatform", "RingDispatch", "RingNetwork", "FileWatching"]
        let folders =
            Repository.folders(in: "Sources")
            + modules.flatMap { Repository.folders(in: "Sources/\($0)") }
        #expect(folders.count > 40)
        let file = try #require(Repository.files.first { $0.path == "ARCHITECTURE.md" })
        check([file]) { Rules.unnamedFolders(folders, in: $0) }
    }

    @Test(
        "a folder uses only folders that ARCHITECTURE lists after it",
        arguments: [
            "LinuxPlatform", "RingDispatch", "RingNetwork", "RingTLS", "FileWatching",
        ])
    func folders(module: String) throws {
        let file = try #require(Repository.files.first { $0.path == "ARCHITECTURE.md" })
        let files = Repository.files(under: "Sources/\(module)")
        let uses = Rules.upwardUses(in: "Sources/\(module)", files: files, architecture: file)
        #expect(uses.isEmpty, "\(uses.joined(separator: "\n"))")
    }

    @Test("the field's words are used, in code, comments and documents")
    func words() {
        let folders = [
            "Sources", "Samples", "Tests", "Scripts", "Docs", "Benchmarks", "Snippets", "Plugins",
        ]
        let files = Repository.files.filter { file in
            guard let slash = file.path.firstIndex(of: "/") else { return true }
            return folders.contains(String(file.path[..<slash]))
        }
        check(files, Rules.replacedWords)
    }

    @Test("nothing of a trait's modules is compiled without the trait")
    func traits() {
        for (trait, module) in [("TLS", "RingTLS"), ("FlyingFox", "RingHTTP")] {
            let files = ["Sources/\(module)", "Tests/\(module)Tests"].flatMap(Repository.files)
            #expect(files.count > 5)
            check(files) { Rules.unguarded($0, trait: trait) }
        }
        for trait in ["Logging", "Metrics", "ServiceLifecycle"] {
            let files = Repository.swiftFiles.filter { file in
                file.path.hasPrefix("Sources/") && !file.path.hasPrefix("Sources/RingHTTP/")
                    && file.code.contains { Rules.importedModule($0) == trait[...] }
            }
            #expect(!files.isEmpty)
            check(files) { Rules.unguarded($0, trait: trait) }
        }
    }

    @Test("every unchecked promise says why it holds")
    func promises() { check(Repository.files(under: "Sources"), Rules.unexplainedPromises) }

    @Test("every file's main type has a doc comment")
    func documentation() { check(Repository.files(under: "Sources"), Rules.undocumentedType) }

    @Test("no folders of somebody's machine")
    func machinePaths() { check(Repository.files, Rules.machinePaths) }

    @Test("the documents' links lead somewhere")
    func links() {
        check(Self.documents) { Rules.brokenLinks($0, exists: Repository.exists) }
    }

    @Test("what an example or a sample prints shows at once, in a pipe, too")
    func output() {
        let files = Repository.files.filter { file in
            file.path.hasSuffix(".md")
                || file.path.hasPrefix("Snippets/")
                || file.path.hasPrefix("Samples/") && file.isSwift && !file.path.contains("/Tests/")
        }
        #expect(files.count > 100)
        check(files, Rules.bufferedOutput)
    }

    @Test("each row of the contract has its test, and each test that it names exists")
    func contract() throws {
        let folder = "Tests/RingDispatchTests/"
        let contract = try #require(Repository.files.first { $0.path == folder + "Contract.md" })
        let sources = Repository.files(under: "Tests/RingDispatchTests")
        let tests = sources.map { file in
            (String(file.path.dropFirst(folder.count)), Rules.testNames(file))
        }
        let names = Dictionary(uniqueKeysWithValues: tests)
        check([contract]) { Rules.brokenContract($0, tests: names) }
        check(sources, Rules.unknownRows)
    }

    @Test("the plugins' list of names is the library's")
    func names() throws {
        let list = "Plugins/GenerateDispatchNames/DispatchNames.swift"
        let file = try #require(Repository.files.first { $0.path == list })
        let listed = file.lines.flatMap { line in
            line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
        let names = Repository.files(under: "Sources/RingDispatch").flatMap(Rules.publicNames)
        let missing = Set(names).subtracting(listed).sorted()
        #expect(missing.isEmpty, "add to \(list), or make it internal: \(missing)")
        let unknown = Set(listed).subtracting(names).sorted()
        #expect(unknown.isEmpty, "not in the library: \(unknown)")
        #expect(Set(listed).count == listed.count)
    }

    @Test("public functions throw without a type; their comments name it")
    func typedThrows() {
        check(Repository.files(under: "Sources").filter(\.isSwift), Rules.typedPublicThrows)
        check(Repository.files(under: "Samples").filter(\.isSwift), Rules.typedPublicThrows)
    }

    private static let articles = Repository.files.filter { file in
        file.path.contains(".docc/") && file.path.hasSuffix(".md")
    }

    @Test("an article's code is compiled")
    func articles() {
        #expect(Self.articles.count > 7)
        check(Self.articles) { Rules.uncompiledCode($0, exists: Repository.exists) }
    }

    @Test("an article shows every snippet")
    func snippets() {
        let shown = Set(Self.articles.flatMap(Rules.shownSnippets))
        let snippets = ["Snippets", "Samples/Snippets"].flatMap(Repository.files).map(\.path)
        #expect(snippets.count > 10)
        let hidden = snippets.filter { !shown.contains($0) }
        #expect(hidden.isEmpty, "show in an article: \(hidden)")
    }

    @Test("the tutorial ends with the snippet that is tested, in at most 40 lines")
    func tutorial() throws {
        let folder = "Sources/RingNetwork/RingNetwork.docc/"
        let tutorial = try #require(
            Repository.files.first { $0.path == folder + "Tutorials/LineServer.tutorial" })
        let last = tutorial.text.matches(of: /file: "([^"]+)"/).last?.output.1 ?? ""
        let code = try #require(Repository.files.first { $0.path == folder + "Resources/" + last })
        let snippet = try #require(
            Repository.files.first { $0.path == "Snippets/LineServer.swift" })
        // The first line is what the documentation shows above the snippet.
        var shown = snippet.lines.dropFirst()
        let hide = try #require(shown.firstIndex(of: "// snippet.hide"))
        let show = try #require(shown.firstIndex(of: "// snippet.show"))
        shown.removeSubrange(hide...show)
        #expect(Array(shown) == code.lines)
        #expect(code.lines.count <= 40)
    }
}
