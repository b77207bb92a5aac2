import Foundation

/// The package's files, found relative to this source file.
enum Repository {
    struct File: Sendable {
        /// From the root: `Sources/LinuxPlatform/IOBackend.swift`.
        let path: String
        let text: String
        /// Without line ends. A text that ends in a line end has no empty last line.
        let lines: [Substring]
        /// For Swift: `lines` with comments and literals blanked.
        let code: [Substring]

        init(path: String, text: String) {
            self.path = path
            self.text = text
            lines = Self.split(text)
            code = path.hasSuffix(".swift") ? Self.split(codeOnly(text)) : lines
        }

        private static func split(_ text: String) -> [Substring] {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.last == "" ? lines.dropLast() : lines
        }

        var isSwift: Bool { path.hasSuffix(".swift") }

        /// `path:line`, for a message.
        func place(_ index: Int) -> String { "\(path):\(index + 1)" }
    }

    static let root: URL = {
        var url = URL(fileURLWithPath: #filePath)
        // Root, Tests, TidyTests, Support, this file.
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url
    }()

    /// Every text file that belongs to the package: no build folders, no repository data.
    static let files: [File] = {
        let manager = FileManager.default
        guard let enumerator = manager.enumerator(at: root, includingPropertiesForKeys: nil)
        else { return [] }
        var files: [File] = []
        for case let url as URL in enumerator {
            let name = url.lastPathComponent
            let path = String(url.path.dropFirst(root.path.count + (root.path == "/" ? 0 : 1)))
            if name == ".git" || name.hasPrefix(".build") || name == ".swiftpm" {
                enumerator.skipDescendants()
            } else if let text = text(of: url) {
                files.append(File(path: path, text: text))
            }
        }
        return files.sorted { $0.path < $1.path }
    }()

    /// Without the code files of tutorials: a program that uses the libraries, step by step.
    static let swiftFiles = files.filter { $0.isSwift && !$0.path.contains(".docc/") }

    static func files(under folder: String) -> [File] {
        swiftFiles.filter { $0.path.hasPrefix(folder + "/") }
    }

    /// The folders right below one, without bundles such as documentation catalogues.
    static func folders(in folder: String) -> [String] {
        let depth = folder.split(separator: "/").count
        let names = files.filter { $0.path.hasPrefix(folder + "/") }.compactMap { file in
            let parts = file.path.split(separator: "/")
            return parts.count > depth + 1 ? String(parts[depth]) : nil
        }
        return Set(names).filter { !$0.contains(".") }.sorted().map { "\(folder)/\($0)" }
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    /// Nil for folders and binary files.
    private static func text(of url: URL) -> String? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder),
            !isFolder.boolValue, let data = try? Data(contentsOf: url), !data.contains(0)
        else { return nil }
        return String(data: data, encoding: .utf8)
    }
}
