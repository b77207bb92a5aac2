import Glibc

/// How many descriptors the process has: of use only where no other test runs, in the child process
/// of an exit test.
func openDescriptorCount() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
}

/// In a child process: ends it with a message unless the condition holds within the patience that
/// tests have.
func demand(_ what: @autoclosure () -> String, line: Int = #line, _ condition: () -> Bool) {
    demand(poll(until: condition), what(), line: line)
}

/// In a child process: ends it with a message unless the condition holds.
func demand(_ holds: Bool, _ what: @autoclosure () -> String, line: Int = #line) {
    if holds { return }
    let message = Array("line \(line): \(what())\n".utf8)
    _ = Glibc.write(STDERR_FILENO, message, message.count)
    exit(1)
}
