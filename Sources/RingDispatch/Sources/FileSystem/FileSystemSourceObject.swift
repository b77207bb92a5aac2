/// The object that the program holds for a file-system source.
final class FileSystemSourceObject: DispatchSource, DispatchSourceFileSystemObject,
    @unchecked Sendable
{
    // Safety: as the superclass; `init` was given `core`.
    private var fileCore: FileSystemSource { unsafeDowncast(core, to: FileSystemSource.self) }

    override var mask: UInt { fileCore.mask.rawValue }
    var error: FileSystemWatchError? { fileCore.error }
}
