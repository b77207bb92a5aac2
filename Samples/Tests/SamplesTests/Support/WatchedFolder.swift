import Glibc

/// A folder for one test, with methods that change it.
struct WatchedFolder {
    let temporary: Folder

    var path: String { temporary.path }

    func path(_ name: String) -> String { path + "/" + name }

    /// Creates a file. That is one change, unless it gets content: on a busy machine that may be
    /// reported as a second one.
    func write(_ name: String, _ content: String = "") throws {
        try write(content, to: path(name), O_CREAT | O_EXCL)
    }

    func append(_ content: String, to name: String) throws {
        try write(content, to: path(name), O_APPEND)
    }

    private func write(_ content: String, to path: String, _ flags: Int32) throws {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0o644)
        guard descriptor >= 0 else { throw Trouble(call: "open \(path)") }
        defer { close(descriptor) }
        let bytes = Array(content.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Trouble(call: "write")
        }
    }

    func make(folder name: String) throws {
        guard mkdir(path(name), 0o755) == 0 else { throw Trouble(call: "mkdir \(path(name))") }
    }

    func move(_ old: String, to new: String) throws {
        guard rename(path(old), path(new)) == 0 else { throw Trouble(call: "rename") }
    }

    func remove(_ name: String) throws {
        guard unlink(path(name)) == 0 else { throw Trouble(call: "unlink") }
    }
}
