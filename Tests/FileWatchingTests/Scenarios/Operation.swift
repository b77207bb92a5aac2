import Glibc
import SystemPackage

/// One line of a scenario that changes the disk. Paths are bytes, relative to the tree.
enum Operation: Sendable {
    /// Operations on one path, or on several alike.
    enum Simple: String, Sendable {
        case makeDirectory = "mkdir"
        case makeDirectories = "mkdir-p"
        case touch, remove
        case removeTree = "remove-tree"
        case makePipe = "fifo"
        case clear = "truncate"
        /// Opens the file for writing, and closes it again.
        case open
        case read
    }

    /// Operations with a file and bytes.
    enum Writing: String, Sendable {
        case write, append, overwrite
        /// Writes through memory that is mapped to the file.
        case map
        case saveAtomically = "save-atomically"
        case saveVim = "save-vim"
        case saveEmacs = "save-emacs"
        case saveInPlace = "save-in-place"
        case saveJetBrains = "save-jetbrains"
    }

    /// Operations with two paths.
    enum Pair: String, Sendable {
        case rename, exchange, link
        /// A copy made as `cp` does.
        case copy
    }

    case simple(Simple, [[UInt8]])
    case writing(Writing, [UInt8], [UInt8])
    case pair(Pair, [UInt8], [UInt8])
    /// The target is arbitrary bytes, or a path of the tree if it begins with `tree:`.
    case symlink(target: [UInt8], [UInt8])
    case mode(Int, [UInt8])
    /// Several files with the same prefix.
    case writeMany(Int, [UInt8])

    init?(_ words: [Substring]) {
        let name = String(words[0])
        let arguments = words.dropFirst().compactMap(unescaped)
        guard arguments.count == words.count - 1, let first = arguments.first else { return nil }
        let second = arguments.dropFirst().first
        if let simple = Simple(rawValue: name) {
            self = .simple(simple, arguments)
        } else if let writing = Writing(rawValue: name) {
            self = .writing(writing, first, second ?? Array("text".utf8))
        } else if let pair = Pair(rawValue: name), let second {
            self = .pair(pair, first, second)
        } else if name == "symlink", let second {
            self = .symlink(target: first, second)
        } else if name == "chmod", let second,
            let mode = Int(String(decoding: first, as: UTF8.self), radix: 8)
        {
            self = .mode(mode, second)
        } else if name == "write-many", let second,
            let count = Int(String(decoding: first, as: UTF8.self))
        {
            self = .writeMany(count, second)
        } else {
            return nil
        }
    }

    /// Performs the operation. False, with errno, if the kernel refused.
    func perform(in tree: [UInt8]) -> Bool {
        func path(_ relative: [UInt8]) -> FilePath {
            FilePath(bytes: tree.resolved(relative))
        }
        switch self {
        case .simple(let simple, let names):
            return names.allSatisfy { simple.perform(path($0)) }
        case .writing(let writing, let name, let bytes):
            return writing.perform(path(name), bytes)
        case .pair(let pair, let from, let to):
            return pair.perform(path(from), path(to))
        case .symlink(let target, let name):
            let prefix = Array("tree:".utf8)
            let target =
                target.starts(with: prefix)
                ? path(Array(target.dropFirst(prefix.count))) : FilePath(bytes: target)
            return Files.call(target, path(name)) { Glibc.symlink($0, $1) }
        case .mode(let mode, let name):
            return Files.call(path(name)) { chmod($0, mode_t(mode)) }
        case .writeMany(let count, let name):
            return (0..<count).allSatisfy { Files.write(path(name + Array("\($0)".utf8)), [0x78]) }
        }
    }
}

extension Operation.Simple {
    fileprivate func perform(_ path: FilePath) -> Bool {
        switch self {
        case .makeDirectory: return Files.makeDirectory(path)
        case .makeDirectories: return Files.makeDirectories(path)
        case .touch:
            if Files.call(path, { utimensat(AT_FDCWD, $0, nil, 0) }) { return true }
            return errno == ENOENT && Files.write(path, [])
        case .remove: return Files.remove(path)
        case .removeTree:
            Files.removeAll(path)
            return true
        case .makePipe: return Files.call(path) { mkfifo($0, 0o600) }
        case .clear: return Files.call(path) { truncate($0, 0) }
        case .open: return Files.write(path, [], flags: O_WRONLY)
        case .read: return Files.bytes(of: path) != nil
        }
    }
}

extension Operation.Pair {
    fileprivate func perform(_ from: FilePath, _ to: FilePath) -> Bool {
        switch self {
        case .rename: Files.rename(from, to)
        case .exchange: Files.exchange(from, to)
        case .link: Files.call(from, to) { Glibc.link($0, $1) }
        case .copy: Files.bytes(of: from).map { Files.write(to, $0) } ?? false
        }
    }
}

extension Operation.Writing {
    fileprivate func perform(_ path: FilePath, _ bytes: [UInt8]) -> Bool {
        func beside(_ prefix: String, _ suffix: String) -> FilePath {
            let name = path.lastComponent.map { FilePath($0.string) }?.bytes ?? []
            return path.removingLastComponent()
                .appending(bytes: Array(prefix.utf8) + name + Array(suffix.utf8))
        }
        switch self {
        case .write, .saveInPlace: return Files.write(path, bytes)
        case .append: return Files.write(path, bytes, flags: O_WRONLY | O_APPEND)
        case .overwrite: return Files.write(path, bytes, flags: O_WRONLY)
        case .map: return Files.writeMapped(path, bytes)
        case .saveAtomically:
            let new = beside(".", ".tmp")
            return Files.write(new, bytes) && Files.rename(new, path)
        case .saveVim:
            // Vim tests whether it can create files here, keeps the old one as a backup, and
            // writes.
            let probe = path.removingLastComponent().appending("4913")
            let backup = beside("", "~")
            return Files.write(probe, []) && Files.remove(probe) && Files.rename(path, backup)
                && Files.write(path, bytes) && Files.call(path) { chmod($0, 0o644) }
                && Files.remove(backup)
        case .saveEmacs:
            // The lock is a symbolic link to nowhere; the first save keeps a backup.
            let lock = beside(".#", "")
            return Files.call(FilePath("user@host.1:2"), lock) { Glibc.symlink($0, $1) }
                && Files.rename(path, beside("", "~")) && Files.write(path, bytes)
                && Files.remove(lock)
        case .saveJetBrains:
            let (new, old) = (beside("", "___jb_tmp___"), beside("", "___jb_old___"))
            return Files.write(new, bytes) && Files.rename(path, old) && Files.rename(new, path)
                && Files.remove(old)
        }
    }
}
