/// Lets one thread at a time work on an object: its runner. A thread that finds work while another
/// is the runner leaves it to that one. Guarded by the object's lock.
struct RunnerClaim {
    private var isBusy = false
    /// Work was found while the runner was busy.
    private var hasEvents = false

    /// True if the caller becomes the runner.
    mutating func claim() -> Bool {
        hasEvents = exchange(&isBusy, with: true)
        return !hasEvents
    }

    /// The runner begins a pass over all work.
    mutating func begin() { hasEvents = false }

    /// The runner stops; false if another pass is due.
    mutating func rest() -> Bool {
        if !hasEvents { isBusy = false }
        return !hasEvents
    }
}
