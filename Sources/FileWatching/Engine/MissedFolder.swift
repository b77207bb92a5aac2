internal import LinuxPlatform

/// A folder that a scan did not find at its path.
struct MissedFolder {
    let folder: NodeNumber
    /// The flags for the next scan.
    let flags: NodeFlags
    let error: SystemError
}
