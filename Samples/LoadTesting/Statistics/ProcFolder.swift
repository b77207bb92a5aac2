internal import Glibc

/// Reads the files of `/proc`. proc(5).
enum ProcFolder {
    /// The entries of a folder whose names are numbers: processes, threads, descriptors.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                // Safety: the kernel terminates names with NUL within the field.
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.first?.isNumber == true { names.append(name) }
        }
        return names
    }

    /// What a symbolic link names; nil if it cannot be read.
    static func link(_ path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = bytes.withUnsafeMutableBytes { buffer in
            buffer.withMemoryRebound(to: CChar.self) {
                $0.baseAddress.map { readlink(path, $0, buffer.count) } ?? -1
            }
        }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
