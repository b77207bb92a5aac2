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
