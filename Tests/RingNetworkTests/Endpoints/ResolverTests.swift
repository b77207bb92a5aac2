import LinuxPlatform
import RingDispatch
import RingNetwork
import Testing

/// The resolver with a fake C library, and with the real one where it needs no network.
@Suite("Resolver", .watchdog)
struct ResolverTests {
    private let queue = DispatchQueue(label: "resolver.tests")

    private static let never = DispatchTimeInterval.never

    private func host(_ name: String) throws -> Endpoint {
        .host(try HostName(name), port: 80)
    }

    @Test("localhost is this machine, without a network", arguments: ["localhost", "a.LOCALHOST."])
    func localhost(name: String) async throws {
        let endpoints = try await Resolver.shared.resolve(host(name))
        #expect(endpoints.contains(.ipv4(.loopback, port: 80)))
        #expect(endpoints.allSatisfy { $0.ipAddress?.isLoopback == true && $0.port == 80 })
        #expect(Set(endpoints).count == endpoints.count)
    }

    @Test(
        "an endpoint that is not a host name is its own answer",
        arguments: ["1.2.3.4:5", "[fe80::1%none]:5", "unix:/a"])
    func resolved(text: String) async throws {
        let resolver = Resolver(lookupLimit: 1) { _ throws(NameLookupError) in throw .notFound }
        let endpoint = try Endpoint(text)
        #expect(try await resolver.resolve(endpoint) == [endpoint])
        let answer = Watched<Result<[Endpoint], ResolverError>?>(nil)
        resolver.resolve(endpoint, queue: queue) { result in answer.update { $0 = result } }
        expectEventually(answer) { $0 == .success([endpoint]) }
    }

    @Test("addresses keep their order, and have the port that was asked for")
    func order() async throws {
        let resolver = Resolver(lookupLimit: 1) { _ throws(NameLookupError) in
            [
                SocketAddress(ipv4: 0x0102_0304, port: 0),
                SocketAddress(ipv6: 1, port: 0, scope: 7), SocketAddress(ipv4: 1, port: 9),
            ]
        }
        let found = try await resolver.resolve(host("a.test"))
        #expect(found.map(\.description) == ["1.2.3.4:80", "[::1%7]:80", "0.0.0.1:80"])
    }

    @Test("the completion runs on its queue, once")
    func completionQueue() throws {
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 1)
        let seen = Watched<[Int?]>([])
        let resolver = Resolver(lookupLimit: 2) { _ throws(NameLookupError) in
            [SocketAddress(ipv4: 1, port: 0)]
        }
        let lookup = resolver.resolve(try host("a.test"), queue: queue) { _ in
            seen.append(DispatchQueue.getSpecific(key: key))
        }
        expectEventually(seen) { $0 == [1] }
        lookup.cancel()
        drain(queue)
        #expect(seen.value == [1])
    }

    @Test(
        "errors of the C library have a reason and a remedy",
        arguments: [
            (-2 as Int32, ResolverError.Reason.notFound), (-5, .notFound), (-9, .notFound),
            (-3, .temporaryFailure), (-4, .permanentFailure), (-10, .outOfMemory), (-6, .other),
        ])
    func errors(code: Int32, reason: ResolverError.Reason) async throws {
        let resolver = Resolver(lookupLimit: 1) { _ throws(NameLookupError) in
            throw NameLookupError(code: code)
        }
        let endpoint = try host("no.test")
        let error = await #expect(throws: ResolverError.self) {
            try await resolver.resolve(endpoint)
        }
        #expect(error?.reason == reason && error?.lookupCode == code && error?.code == nil)
        #expect(error?.description.hasPrefix("'no.test' cannot be resolved: ") == true)
        #expect(error?.description.contains("; ") == true)
    }

    @Test("a failed system call is reported with its errno")
    func systemError() async throws {
        let resolver = Resolver(lookupLimit: 1) { _ throws(NameLookupError) in
            throw NameLookupError(code: -11, systemCode: ErrorCode.processDescriptors)
        }
        let endpoint = try host("a.test")
        let error = await #expect(throws: ResolverError.self) {
            try await resolver.resolve(endpoint)
        }
        #expect(error?.reason == .system && error?.lookupCode == -11)
        #expect(error?.code == .tooManyOpenFiles)
        #expect(error?.description.contains("ulimit -n") == true)
    }

    @Test("an answer without addresses is an error")
    func noAddresses() async throws {
        let resolver = Resolver(lookupLimit: 1) { _ throws(NameLookupError) in [SocketAddress()] }
        let endpoint = try host("a.test")
        let error = await #expect(throws: ResolverError.self) {
            try await resolver.resolve(endpoint)
        }
        #expect(error?.reason == .notFound)
    }

    @Test("a limited number of lookups block threads, and others follow in order")
    func limit() throws {
        let slow = SlowNames()
        let resolver = slow.resolver(lookupLimit: 2)
        let answers = Watched<Set<Int>>([])
        for number in 0..<10 {
            resolver.resolve(
                try host("n\(number).test"), timeout: Self.never, queue: queue
            ) { _ in answers.update { _ = $0.insert(number) } }
        }
        expectEventually(slow.asked) { $0.count == 2 }
        letTimePass(milliseconds: Patience.glanceMilliseconds)
        #expect(slow.asked.value.count == 2)
        #expect(resolver.counts == (2, 8))
        slow.gate.open()
        expectEventually(answers) { $0.count == 10 }
        #expect(slow.asked.value.prefix(2).sorted() == ["n0.test", "n1.test"])
        #expect(slow.mostAtOnce.value <= 2)
        expectIdle(resolver)
    }

    @Test("with a limit of one, lookups run in the order of their requests")
    func inOrder() throws {
        let slow = SlowNames()
        let resolver = slow.resolver(lookupLimit: 1)
        for number in 0..<20 {
            resolver.resolve(
                try host("n\(number).test"), timeout: Self.never, queue: queue
            ) { _ in }
        }
        slow.gate.open()
        expectEventually(slow.asked) { $0 == (0..<20).map { "n\($0).test" } }
        expectIdle(resolver)
    }

    @Test("a late answer is dropped, and its thread counts until it arrives")
    func lateAnswer() throws {
        let slow = SlowNames()
        let resolver = slow.resolver(lookupLimit: 1)
        let endpoint = try host("late.test")
        let errors = Watched<[ResolverError?]>([])
        var milliseconds = 10
        var hadItsTurn = false
        // On a busy machine the lookup may time out before it gets a thread.
        while !hadItsTurn && milliseconds < 10_000 {
            milliseconds *= 2
            let count = errors.value.count
            resolver.resolve(endpoint, timeout: .milliseconds(milliseconds), queue: queue) {
                errors.append($0.failure)
            }
            expectEventually(errors) { $0.count > count }
            #expect(errors.value.last??.reason == .timedOut)
            hadItsTurn =
                errors.value.last??.description.contains("no answer in time") == true
        }
        #expect(hadItsTurn)
        #expect(resolver.counts == (1, 0))
        let count = errors.value.count
        slow.gate.open()
        expectIdle(resolver)
        drain(queue)
        #expect(errors.value.count == count)
    }

    @Test("the time limit may be a Duration")
    func duration() async throws {
        let slow = SlowNames()
        let resolver = slow.resolver(lookupLimit: 1)
        let (endpoint, limit) = (try host("slow.test"), Duration.milliseconds(10))
        let error = await #expect(throws: ResolverError.self) {
            try await resolver.resolve(endpoint, timeout: limit)
        }
        #expect(error?.reason == .timedOut)
        slow.gate.open()
        expectIdle(resolver)
    }

    @Test("the wait for a turn counts, and a timed-out lookup leaves the queue")
    func timeoutInLine() throws {
        let slow = SlowNames()
        let resolver = slow.resolver(lookupLimit: 1)
        resolver.resolve(try host("first.test"), timeout: Self.never, queue: queue) { _ in }
        let errors = Watched<[ResolverError?]>([])
        resolver.resolve(try host("second.test"), timeout: .milliseconds(10), queue: queue) {
            errors.append($0.failure)
        }
        expectEventually(errors) { $0.first??.reason == .timedOut }
        #expect(errors.value.first??.description.contains("waited too long for its turn") == true)
        #expect(poll { resolver.counts == (1, 0) })
        slow.gate.open()
        expectIdle(resolver)
        #expect(slow.asked.value == ["first.test"])
    }

    @Test("cancelling ends a lookup at once, whether it runs or waits")
    func cancel() throws {
        let slow = SlowNames()
        let resolver = slow.resolver(lookupLimit: 1)
        let answers = Watched<[ResolverError.Reason?]>([])
        let lookups = try ["running.test", "waiting.test", "kept.test"].map { name in
            resolver.resolve(try host(name), timeout: Self.never, queue: queue) {
                answers.append($0.failure?.reason)
            }
        }
        expectEventually(slow.asked) { $0.count == 1 }
        lookups[0].cancel()
        lookups[1].cancel()
        // `cancel` returns after the lookup has left the queue.
        #expect(resolver.counts == (1, 1))
        expectEventually(answers) { $0 == [.cancelled, .cancelled] }
        slow.gate.open()
        expectEventually(answers) { $0.count == 3 }
        #expect(answers.value[2] == nil)
        #expect(slow.asked.value == ["running.test", "kept.test"])
        expectIdle(resolver)
    }

    @Test("cancelling the task cancels its lookup")
    func cancelTask() async throws {
        let slow = SlowNames()
        let resolver = slow.resolver(lookupLimit: 1)
        let endpoint = try host("a.test")
        let task = ownTask { try await resolver.resolve(endpoint, timeout: Self.never) }
        // Blocking here could take the task's thread. The watchdog ends an endless wait.
        while slow.asked.value.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let already = ownTask {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await resolver.resolve(endpoint, timeout: Self.never)
        }
        await #expect(throws: CancellationError.self) { try await already.value }
        slow.gate.open()
        expectIdle(resolver)
        #expect(slow.asked.value.count == 1)
    }

    @Test("too many waiting lookups are rejected, and ended ones make room")
    func waitingLimit() throws {
        let slow = SlowNames()
        let resolver = slow.resolver(lookupLimit: 1)
        let endpoint = try host("a.test")
        let refused = Watched(0)
        let answered = Watched(0)
        func ask() -> Resolver.Lookup {
            resolver.resolve(endpoint, timeout: Self.never, queue: queue) { result in
                if result.failure?.reason == .tooManyLookups { refused.increment() }
                if result.failure == nil { answered.increment() }
            }
        }
        let lookups = (0...Resolver.waitingLimit).map { _ in ask() }
        drain(queue)
        #expect(refused.value == 0)
        _ = ask()
        expectEventually(refused) { $0 == 1 }
        lookups.last?.cancel()
        _ = ask()
        slow.gate.open()
        expectEventually(answered) { $0 == Resolver.waitingLimit + 1 }
        #expect(refused.value == 1)
        expectIdle(resolver)
    }

    @Test("each of many racing lookups is answered once")
    func race() throws {
        let resolver = Resolver(lookupLimit: 3) { _ throws(NameLookupError) in
            [SocketAddress(ipv4: 1, port: 0)]
        }
        let endpoint = try host("a.test")
        let counts = Watched([Int](repeating: 0, count: 600))
        DispatchQueue.concurrentPerform(iterations: 600) { index in
            let timeout = index % 3 == 0 ? DispatchTimeInterval.microseconds(index) : Self.never
            let lookup = resolver.resolve(endpoint, timeout: timeout, queue: queue) { _ in
                counts.update { $0[index] += 1 }
            }
            if index % 3 == 1 { lookup.cancel() }
        }
        expectEventually(counts) { $0.allSatisfy { $0 >= 1 } }
        expectIdle(resolver)
        drain(queue)
        #expect(counts.value.allSatisfy { $0 == 1 })
    }

    @Test("a lookup leaves nothing behind: neither its closure nor its timer's")
    func released() throws {
        weak var released: Marker?
        do {
            let marker = Marker()
            released = marker
            let answered = Gate()
            let resolver = Resolver(lookupLimit: 1) { _ throws(NameLookupError) in
                [SocketAddress(ipv4: 1, port: 0)]
            }
            resolver.resolve(try host("a.test"), timeout: .seconds(3600), queue: queue) { _ in
                withExtendedLifetime(marker) { answered.open() }
            }
            expectOpens(answered)
        }
        #expect(poll { released == nil })
    }

    private func expectIdle(_ resolver: Resolver) {
        #expect(poll { resolver.counts == (0, 0) }, "\(resolver.counts)")
    }
}

private final class Marker: Sendable {}

/// A fake C library that answers when its gate is open.
private struct SlowNames: Sendable {
    let gate = Gate()
    let asked = Watched<[String]>([])
    let mostAtOnce = Watched(0)
    private let now = Watched(0)

    func resolver(lookupLimit: Int) -> Resolver {
        Resolver(lookupLimit: lookupLimit) { host throws(NameLookupError) in
            asked.append(host.name)
            let count = now.increment()
            mostAtOnce.update { $0 = max($0, count) }
            gate.pass()
            now.increment(by: -1)
            return [SocketAddress(ipv4: 1, port: 0)]
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
