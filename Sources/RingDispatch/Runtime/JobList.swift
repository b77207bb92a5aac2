internal import Synchronization

/// A first-in first-out list of jobs that one thread owns.
struct JobList {
    private(set) var first: JobPointer?
    private var last: JobPointer?
    private(set) var count = 0

    var isEmpty: Bool { first == nil }

    @inline(__always)
    mutating func append(_ job: JobPointer) {
        job.pointee.next = nil
        if let last { last.pointee.next = job } else { first = job }
        last = job
        count &+= 1
    }

    @inline(__always)
    mutating func popFirst() -> JobPointer? {
        guard let job = first else { return nil }
        first = job.pointee.next
        if first == nil { last = nil }
        count &-= 1
        return job
    }

    /// Appends a linked list of jobs.
    @inline(__always)
    mutating func append(all first: JobPointer?) {
        var rest = first
        while let job = rest {
            rest = job.pointee.next
            append(job)
        }
    }

    /// Takes off the later half, rounded up.
    mutating func splitHalf() -> JobList {
        let kept = count / 2
        guard kept > 0, var tail = first else {
            defer { self = JobList() }
            return self
        }
        for _ in 1..<kept {
            guard let next = tail.pointee.next else { break }
            tail = next
        }
        var half = JobList()
        half.first = tail.pointee.next
        half.last = last
        half.count = count - kept
        tail.pointee.next = nil
        last = tail
        count = kept
        return half
    }
}

/// Jobs that are pushed at once: linked from the newest to the oldest, as an inbox is.
struct JobChain: ~Copyable {
    fileprivate var newest: JobPointer?
    fileprivate var oldest: JobPointer?

    init() {}

    var isEmpty: Bool { newest == nil }

    @inline(__always)
    mutating func append(_ job: JobPointer) {
        job.pointee.next = newest
        if newest == nil { oldest = job }
        newest = job
    }

    /// The same jobs, oldest first.
    consuming func inOrder() -> JobPointer? {
        var turned: JobPointer?
        while let job = newest {
            newest = job.pointee.next
            job.pointee.next = turned
            turned = job
        }
        return turned
    }
}

/// A list that any thread pushes onto and one takes from, whole.
///
/// Lock-free on both sides, and a pusher that is preempted holds up nobody. The head's push
/// (releasing) pairs with `takeAll` (acquiring): what was written before a push is seen by the
/// taker.
struct JobInbox: ~Copyable, @unchecked Sendable {
    // Safety: a job belongs to the inbox from its push until it is taken.
    /// The newest job; jobs link to older ones.
    private let head = Atomic<JobPointer?>(nil)

    /// Returns whether the inbox was empty: then its owner may have to be told.
    @inline(__always)
    func push(_ job: JobPointer) -> Bool {
        var expected = head.load(ordering: .relaxed)
        while true {
            job.pointee.next = expected
            let (exchanged, original) = head.weakCompareExchange(
                expected: expected, desired: job, ordering: .sequentiallyConsistent)
            if exchanged { return expected == nil }
            expected = original
        }
    }

    /// Pushes all of a chain.
    func push(_ chain: consuming JobChain) {
        guard let newest = chain.newest, let oldest = chain.oldest else { return }
        var expected = head.load(ordering: .relaxed)
        while true {
            oldest.pointee.next = expected
            let (exchanged, original) = head.weakCompareExchange(
                expected: expected, desired: newest, ordering: .sequentiallyConsistent)
            if exchanged { return }
            expected = original
        }
    }

    @inline(__always)
    var isEmpty: Bool { head.load(ordering: .sequentiallyConsistent) == nil }

    /// Everything, oldest first.
    @inline(__always)
    func takeAll() -> JobPointer? {
        guard head.load(ordering: .relaxed) != nil else { return nil }
        var newest = head.exchange(nil, ordering: .acquiring)
        var oldest: JobPointer?
        while let job = newest {
            newest = job.pointee.next
            job.pointee.next = oldest
            oldest = job
        }
        return oldest
    }
}
