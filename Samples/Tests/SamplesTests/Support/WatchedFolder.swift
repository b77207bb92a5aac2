import Glibc

/// A folder for one test, with methods that change it.
struct WatchedFolder {
    let temporary: Folder

    var path: String { temporary.path }

    func path(_ name: String) -> String { path + "/" + name }

    func write(_ name: String, _ content: String = "content") throws {
        let descriptor = open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Trouble(call: "open \(path(name))") }
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
