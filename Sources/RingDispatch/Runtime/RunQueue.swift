/// A lane's ready jobs, a list for each QoS band. Touched only under the lane's lease.
struct RunQueue {
    private var bands: (JobList, JobList, JobList, JobList, JobList) = (
        JobList(), JobList(), JobList(), JobList(), JobList()
    )
    private(set) var count = 0

    /// Jobs of higher bands that go first before one of the highest waiting lower band does, so
    /// that a flood of urgent work slows the rest down but does not stop it.
    static let urgentRun = 64
    private var urgentServed = 0

    @inline(__always)
    mutating func append(_ job: JobPointer) {
        count &+= 1
        switch job.pointee.band {
        case 0: bands.0.append(job)
        case 1: bands.1.append(job)
        case 2: bands.2.append(job)
        case 3: bands.3.append(job)
        default: bands.4.append(job)
        }
    }

    /// Appends a linked list of jobs.
    mutating func append(all first: JobPointer?) {
        var rest = first
        while let job = rest {
            rest = job.pointee.next
            append(job)
        }
    }

    @inline(__always)
    mutating func popFirst() -> JobPointer? {
        guard count > 0 else { return nil }
        count &-= 1
        // Nearly always everything is in the default band.
        if bands.2.count == count &+ 1 { return bands.2.popFirst() }
        return popMixed()
    }

    private mutating func popMixed() -> JobPointer? {
        urgentServed += 1
        if urgentServed > RunQueue.urgentRun {
            urgentServed = 0
            return bands.0.popFirst() ?? bands.1.popFirst() ?? bands.2.popFirst()
                ?? bands.3.popFirst() ?? bands.4.popFirst()
        }
        return bands.4.popFirst() ?? bands.3.popFirst() ?? bands.2.popFirst()
            ?? bands.1.popFirst() ?? bands.0.popFirst()
    }

    /// Gives away the later half of each band.
    mutating func splitHalf() -> [JobPointer] {
        var given: [JobPointer] = []
        func drain(_ list: JobList) {
            var list = list
            while let job = list.popFirst() { given.append(job) }
        }
        drain(bands.4.splitHalf())
        drain(bands.3.splitHalf())
        drain(bands.2.splitHalf())
        drain(bands.1.splitHalf())
        drain(bands.0.splitHalf())
        count -= given.count
        return given
    }
}
