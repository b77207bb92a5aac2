/// Jobs that are pushed at once: linked from the newest to the oldest, as an inbox is.
struct JobChain: ~Copyable {
    private(set) var newest: JobPointer?
    private(set) var oldest: JobPointer?

    init() {}

    var isEmpty: Bool { newest == nil }

    @inline(__always)
    mutating func append(_ job: JobPointer) {
        job.pointee.next = newest
        if newest == nil { oldest = job }
        newest = job
    }

    /// The same jobs, oldest first.
    consuming func inOrder() -> JobPointer? { newest.reversed() }
}
