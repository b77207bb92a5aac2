import Glibc

/// The kernel's numbers for this process's threads.
func threadIdentifiers() -> [Int32] {
    guard let directory = opendir("/proc/self/task") else { return [] }
    defer { closedir(directory) }
    var identifiers: [Int32] = []
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if let identifier = Int32(name) { identifiers.append(identifier) }
    }
    return identifiers
}

func currentThreadName() -> String { processStatus("Name", of: "thread-self") ?? "" }

/// The number of sleeps of the library's threads in this process, by thread.
func librarySleeps() -> [Int32: String] {
    var sleeps: [Int32: String] = [:]
    for thread in threadIdentifiers() {
        let place = "self/task/\(thread)"
        // Not the threads with the program's own name, which has the same prefix.
        guard let name = processStatus("Name", of: place), name.hasPrefix("ring-"),
            !name.hasPrefix("ring-dispatch")
        else { continue }
        sleeps[thread] = processStatus("voluntary_ctxt_switches", of: place)
    }
    return sleeps
}
