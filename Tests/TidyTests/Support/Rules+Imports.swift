extension Rules {
    /// Dependencies point one way: CLinux, Ring, RingDispatch, RingNetwork and FileWatching beside
    /// it, LoadTesting; the C library is behind Ring's fence, OpenSSL behind RingTLS's.
    static func forbiddenImports(_ file: File) -> [String] {
        file.code.indices.compactMap { index in
            guard let module = importedModule(file.code[index]),
                !isAllowed(module, isPublic: file.code[index].contains("public "), in: file.path)
            else { return nil }
            return "\(file.place(index)): imports \(module)"
        }
    }

    /// Without the trait TLS nothing of the module may be compiled: OpenSSL's headers need not be
    /// there.
    static func unguardedTLS(_ file: File) -> [String] {
        let isGuarded = file.lines.first == "#if TLS" && file.lines.last == "#endif"
        let standsIn = file.lines.first == "#if !TLS"
        return isGuarded || standsIn ? [] : ["\(file.path): not all of it is within #if TLS"]
    }

    /// Of `internal import Glibc`, `@testable import LinuxPlatform`, `import struct Glibc.stat`.
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
        guard parts.count > 2, parts[0] == "Sources" else { return true }
        let (library, concept) = (parts[1], parts[2])
        if forbiddenInSources.contains(module) { return false }
        switch module {
        case "CLiburing": return library == "CLinux"
        case "CLinux":
            return library == "LinuxPlatform" || (library == "RingDispatch" && concept == "Runtime")
        case "CTLS": return library == "RingTLS"
        case "RingTLS":
            return !["CTLS", "CLinux", "LinuxPlatform", "RingDispatch"].contains(library)
        case "LinuxPlatform": return library != "CLinux" && library != "LinuxPlatform"
        case "RingDispatch": return !["CLinux", "LinuxPlatform", "RingDispatch"].contains(library)
        case "RingNetwork":
            return !["CLinux", "LinuxPlatform", "RingDispatch", "RingNetwork", "FileWatching"]
                .contains(library)
        case "FileWatching", "LoadTesting": return false
        case "Glibc", "Musl":
            return ["LinuxPlatform", "LoadTesting"].contains(library)
                || (isPublic && mayShowGlibc(path))
        default: return true
        }
    }

    /// Its `timespec` is the C library's, in GCD too.
    private static func mayShowGlibc(_ path: String) -> Bool {
        path.hasPrefix("Sources/RingDispatch/Time/DispatchWallTime")
    }
}
