import Glibc
import RingDispatch
import Testing

@Suite("Deallocators of DispatchData", .watchdog)
struct DataDeallocatorTests {
    private let queue = DispatchQueue(label: "data.deallocator")

    @Test("A custom deallocator runs once, when the last user is gone")
    func customRunsOnce() {
        let calls = Watched(0)
        let block = Block(countingBytes(100), returns: Watched(0))
        func make() -> DispatchData {
            DispatchData(
                bytesNoCopy: UnsafeRawBufferPointer(start: block.start, count: block.count),
                deallocator: .custom(queue) { calls.increment() })
        }
        var data = make()
        #expect(data.addresses == [UnsafeRawPointer(block.start)])
        var users: [Any] = [
            data, data.subdata(in: 10..<20), data.makeIterator(), data[3..<4], data.regions,
            data.region(location: 5).data, data.indices,
        ]
        var joined = copied([1])
        joined.append(data.subdata(in: 50..<51))
        data = .empty
        while !users.isEmpty {
            drain(queue)
            #expect(calls.value == 0)
            users.removeFirst()
        }
        drain(queue)
        #expect(calls.value == 0)
        #expect(joined[1] == 50)
        joined = .empty
        expectEventually(calls) { $0 == 1 }
        expectStays(calls, at: 1)
    }

    @Test("A custom deallocator runs on its queue, after the release and not in it")
    func customQueue() {
        let called = Gate()
        let queue = queue
        queue.suspend()
        do {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
            _ = DispatchData(
                bytesNoCopy: UnsafeRawBufferPointer(bytes),
                deallocator: .custom(queue) {
                    dispatchPrecondition(condition: .onQueue(queue))
                    bytes.deallocate()
                    called.open()
                })
        }
        #expect(!called.wasOpened)
        queue.resume()
        expectOpens(called)
    }

    @Test("Without a queue it is the default global queue")
    func customWithoutQueue() {
        let called = Gate()
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
        _ = DispatchData(
            bytesNoCopy: UnsafeRawBufferPointer(bytes),
            deallocator: .custom(nil) {
                dispatchPrecondition(condition: .onQueue(.global()))
                bytes.deallocate()
                called.open()
            })
        expectOpens(called)
    }

    @Test("A deallocator's block and what it captured are freed after it ran")
    func blockIsFreed() {
        let freed = Gate()
        do {
            let canary = Canary { freed.open() }
            let bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            _ = DispatchData(bytesNoCopy: bytes, deallocator: .custom(queue) { canary.keepAlive() })
        }
        expectOpens(freed)
    }

    @Test("Data of no bytes still runs the deallocator", arguments: [false, true])
    func zeroLength(hasAddress: Bool) {
        let calls = Watched(0)
        let byte = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
        defer { byte.deallocate() }
        let bytes = UnsafeRawBufferPointer(start: hasAddress ? byte : nil, count: 0)
        let data = DispatchData(
            bytesNoCopy: bytes, deallocator: .custom(queue) { calls.increment() })
        #expect(data.isEmpty)
        expectEventually(calls) { $0 == 1 }
        // No deallocation is requested, and none happens.
        _ = DispatchData(bytesNoCopy: UnsafeRawBufferPointer(start: nil, count: 0))
        _ = DispatchData(
            bytesNoCopy: UnsafeRawBufferPointer(start: nil, count: 0), deallocator: .unmap)
        _ = DispatchData(bytesNoCopy: UnsafeRawBufferPointer(start: malloc(1), count: 0))
        withExtendedLifetime(data) { expectStays(calls, at: 1) }
    }

    // The two tests below read the mappings of a process in which nothing else changes them.

    @Test(
        ".free gives the memory back once, when the last user is gone",
        .disabled(if: isAddressSanitized, "AddressSanitizer keeps freed memory for a while"))
    func freeing() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            // Above the largest threshold: the C library maps it, and unmaps it in free.
            let size = 64 << 20
            guard let memory = malloc(size) else { endProcess(succeedingIf: false) }
            let page = UnsafeMutableRawPointer(
                bitPattern: (UInt(bitPattern: memory) + 8191) & ~4095)!
            page.storeBytes(of: 42, as: UInt8.self)
            do {
                let data = DispatchData(
                    bytesNoCopy: UnsafeRawBufferPointer(start: memory, count: size))
                var part: DispatchData? = data.subdata(in: page - memory..<size)
                guard part?[0] == 42, data.count == size else { endProcess(succeedingIf: false) }
                part = nil
                guard isMapped(page) else { endProcess(succeedingIf: false) }
            }
            // A second free would end the process.
            endProcess(succeedingIf: !isMapped(page))
        }
    }

    @Test(".unmap gives the pages back once, when the last user is gone")
    func unmapping() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let size = 4 * 4096
            let pages = mapPages(size)
            pages.storeBytes(of: 42, as: UInt8.self)
            do {
                let data = DispatchData(
                    bytesNoCopy: UnsafeRawBufferPointer(start: pages, count: size),
                    deallocator: .unmap)
                var copies = [data, data.subdata(in: 0..<1)]
                guard copies[1][0] == 42 else { endProcess(succeedingIf: false) }
                copies = []
                guard isMapped(pages), isMapped(pages + 3 * 4096) else {
                    endProcess(succeedingIf: false)
                }
            }
            endProcess(succeedingIf: !isMapped(pages) && !isMapped(pages + 3 * 4096))
        }
    }

    @Test("Unmapping an address where no mapping starts is a mistake")
    func unmappingWrongly() async {
        let result = await #expect(processExitsWith: .failure, observing: lastWords) {
            prepareForTrap()
            let pages = mapPages(2 * 4096)
            _ = DispatchData(
                bytesNoCopy: UnsafeRawBufferPointer(start: pages + 100, count: 4096),
                deallocator: .unmap)
        }
        expectMessage(result, naming: "DispatchData", ".unmap", "4096 bytes", "munmap", "page")
    }
}

private func mapPages(_ size: Int) -> UnsafeMutableRawPointer {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS
    let pages = mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0)
    precondition(pages != MAP_FAILED)
    return pages!
}

/// Whether there is memory at a page's address.
private func isMapped(_ page: UnsafeMutableRawPointer) -> Bool {
    msync(page, 4096, MS_ASYNC) == 0
}
