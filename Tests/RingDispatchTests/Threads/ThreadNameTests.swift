import Glibc
import RingDispatch
import Testing

@Suite("Names of threads", .watchdog)
struct ThreadNameTests {
    @Test("Workers have the library's name, the program's threads keep theirs")
    func names() {
        let before = currentThreadName()
        let worker = Watched<String?>(nil)
        DispatchQueue.global().async { worker.update { $0 = currentThreadName() } }
        expectEventually(worker) { $0 != nil }
        #expect(worker.value?.hasPrefix("ring-") == true)
        let user = Watched<String?>(nil)
        let thread = UserThread {
            // On the queue, and still the program's own thread.
            DispatchQueue(label: "named").sync { user.update { $0 = currentThreadName() } }
        }
        #expect(thread.join())
        #expect(user.value?.hasPrefix("ring-") == false)
        #expect(currentThreadName() == before)
    }
}

private func currentThreadName() -> String {
    var name = [CChar](repeating: 0, count: 16)
    guard let file = fopen("/proc/thread-self/comm", "r") else { return "" }
    defer { fclose(file) }
    fgets(&name, Int32(name.count), file)
    let bytes = name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    return String(decoding: bytes.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
}
