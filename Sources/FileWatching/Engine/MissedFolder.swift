internal import LinuxPlatform

/// A folder that was not where it should have been when it was to be looked at.
struct MissedFolder {
    let folder: NodeNumber
    /// What the next look at it has to heed.
    let flags: NodeFlags
    let error: SystemError
}
