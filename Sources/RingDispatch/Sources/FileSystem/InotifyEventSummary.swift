internal import LinuxPlatform

/// The events of one file in one batch. inotify merges equal consecutive events, so their number
/// matters little.
struct InotifyEventSummary {
    /// All events of the file itself and, those of `InotifyMask.entries`, of its entries.
    private(set) var mask: InotifyMask = []
    private(set) var attributeEventCount = 0
    /// The events of entries that are directories.
    private(set) var ofDirectories: InotifyMask = []

    var isEmpty: Bool { mask.isEmpty }
    /// The file must be compared with its last known status.
    var hasAttributes: Bool { !mask.isDisjoint(with: .ofLinks) }

    mutating func note(_ event: InotifyEvent) {
        guard event.isOfEntry else {
            mask.formUnion(event.mask)
            if event.mask.contains(.attributes) { attributeEventCount += 1 }
            return
        }
        let ofEntry = event.mask.intersection(.entries)
        mask.formUnion(ofEntry)
        if event.mask.contains(.isDirectory) { ofDirectories.formUnion(ofEntry) }
    }
}
