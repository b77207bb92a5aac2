// generate-dispatch-names public|internal FILE
// The tool that the plugins run for each target.
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

let arguments = CommandLine.arguments
guard arguments.count == 3, let access = GeneratedFile.Access(rawValue: arguments[1]) else {
    print("usage: generate-dispatch-names public|internal FILE")
    exit(64)
}

/// Whether the file already contains these bytes. Then it is not rewritten: SwiftPM runs this tool
/// more often than necessary, and a new modification time would recompile the target.
func holds(_ path: String, _ bytes: [UInt8]) -> Bool {
    guard let file = fopen(path, "r") else { return false }
    defer { fclose(file) }
    var found = [UInt8](repeating: 0, count: bytes.count + 1)
    let count = fread(&found, 1, found.count, file)
    return found[..<count].elementsEqual(bytes)
}

let bytes = Array(GeneratedFile(access: access).text.utf8)
if holds(arguments[2], bytes) { exit(0) }
guard let file = fopen(arguments[2], "w") else {
    perror("generate-dispatch-names: cannot write \(arguments[2])")
    exit(73)
}
let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
guard fclose(file) == 0, isWritten else {
    perror("generate-dispatch-names: cannot write \(arguments[2])")
    exit(74)
}
