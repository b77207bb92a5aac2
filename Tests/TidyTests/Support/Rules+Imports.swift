extension Rules {
    /// What the package's modules may import of one another. All dependencies point one way, the C
    /// library is behind LinuxPlatform, and OpenSSL is behind RingTLS.
    static let moduleImports: [Substring: Set<Substring>] = [
        "CLiburing": [],
        "CLinux": ["CLiburing"],
        "LinuxPlatform": ["CLinux"],
        // CLinux only in the folder `Runtime`.
        "RingDispatch": ["CLinux", "LinuxPlatform"],
        "RingConcurrency": ["RingDispatch", "LinuxPlatform"],
        "RingNetwork": ["RingDispatch", "LinuxPlatform", "RingTLS"],
        "CTLS": [],
        "RingTLS": ["CTLS", "LinuxPlatform"],
        "FileWatching": ["RingDispatch", "LinuxPlatform"],
        "RingHTTP": ["RingDispatch", "LinuxPlatform"],
    ]

    /// The package's products, which the samples may import; its other modules they may not.
    private static let libraries: Set<Substring> = [
        "RingDispatch", "RingConcurrency", "RingNetwork", "RingTLS", "FileWatching", "RingHTTP",
    ]

    static func forbiddenImports(_ file: File) -> [String] {
        file.code.indices.compactMap { index in
            guard let module = importedModule(file.code[index]),
                !isAllowed(module, isPublic: file.code[index].contains("public "), in: file.path)
            else { return nil }
            return "\(file.place(index)): imports \(module)"
        }
    }

    /// Without a module's trait nothing of it is compiled: what it imports may be missing.
    static func unguarded(_ file: File, trait: String) -> [String] {
        let isGuarded = file.lines.first == "#if \(trait)" && file.lines.last == "#endif"
        let isPlaceholder = file.lines.first == "#if !\(trait)"
        return isGuarded || isPlaceholder
            ? [] : ["\(file.path): not all of it is within #if \(trait)"]
    }

    /// The module in `internal import Glibc`, `@testable import LinuxPlatform`, `import struct
    /// Glibc.stat`.
    static func importedModule(_ line: Substring) -> Substring? {
        let words = line.split(separator: " ")
        guard let keyword = words.firstIndex(of: "import"),
            words[..<keyword].allSatisfy({ $0.hasPrefix("@") || accessLevels.contains($0) })
        else { return nil }
        let kinds: Set<Substring> = ["struct", "class", "enum", "func", "var", "let", "typealias"]
        let path = words[(keyword + 1)...].first { !kinds.contains($0) }
        return path?.split(separator: ".").first
    }

    private static let accessLevels: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private",
    ]

    private static let forbiddenInSources: Set<Substring> = [
        "Foundation", "FoundationEssentials", "Dispatch", "CDispatch",
    ]

    private static func isAllowed(_ module: Substring, isPublic: Bool, in path: String) -> Bool {
        let parts = path.split(separator: "/")
        let isOfPackage = moduleImports[module] != nil
        if parts[0] == "Samples" { return !isOfPackage || libraries.contains(module) }
        guard parts.count > 2, parts[0] == "Sources" else { return true }
        let (library, folder) = (parts[1], parts[2])
        // FlyingFox's functions have Foundation's `Data`.
        if forbiddenInSources.contains(module) {
            return library == "RingHTTP" && module == "Foundation"
        }
        switch module {
        case "CLinux" where library == "RingDispatch": return folder == "Runtime"
        case "Glibc", "Musl":
            return library == "LinuxPlatform" || (isPublic && mayShowGlibc(path))
        default: return !isOfPackage || moduleImports[library]?.contains(module) == true
        }
    }

    /// `DispatchWallTime` shows the C library's `timespec`, as in GCD.
    private static func mayShowGlibc(_ path: String) -> Bool {
        path.hasPrefix("Sources/RingDispatch/Time/DispatchWallTime")
    }
}
