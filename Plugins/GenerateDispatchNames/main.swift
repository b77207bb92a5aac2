// generate-dispatch-names public|internal FILE
// What the plugins run, once for each target that uses them.
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
let text = GeneratedFile(access: access).text
guard let file = fopen(arguments[2], "w") else {
    perror("generate-dispatch-names: cannot write \(arguments[2])")
    exit(73)
}
let isWritten = fputs(text, file) >= 0
guard fclose(file) == 0, isWritten else {
    perror("generate-dispatch-names: cannot write \(arguments[2])")
    exit(74)
}
