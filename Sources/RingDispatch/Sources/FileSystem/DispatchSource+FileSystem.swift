internal import LinuxPlatform

extension DispatchSource {
    /// Watches the file or directory that a descriptor is open on, through all renames. Any
    /// descriptor will do, even one opened with `O_PATH`, but the process must be allowed to read
    /// the file. Do not close the descriptor before the cancel handler.
    /// `dispatch_source_create(DISPATCH_SOURCE_TYPE_VNODE)`.
    ///
    /// If the kernel refuses the watch when the source is activated, the source's `error` is set. A
    /// descriptor that is not open, an empty mask and one with `.funlock`, which Linux does not
    /// report, trap.
    /// - Parameters:
    ///   - fileDescriptor: stays the caller's, who closes it in the cancel handler.
    ///   - eventMask: the events for which the handler is called.
    ///   - queue: runs the handlers; nil: the default global queue.
    public static func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject {
        checkMask(eventMask, "descriptor \(fileDescriptor)")
        guard Descriptors.isOpen(fileDescriptor) else {
            fatalMisuse(
                "a file-system source was made for descriptor \(fileDescriptor), which is not "
                    + "open: open it before, and close it in the source's cancel handler")
        }
        return FileSystemSourceObject(
            core: FileSystemSource(descriptor: fileDescriptor, mask: eventMask, queue: queue))
    }

    /// Watches the file or directory that a path leads to now. The source has a descriptor of its
    /// own, opened with `O_PATH` and closed before the cancel handler, so that the file system
    /// cannot be unmounted meanwhile. Not in GCD.
    /// - Parameters:
    ///   - path: absolute, or relative to the current directory. Symbolic links are followed. If
    ///     another file takes the name later, the source stays with the first one.
    ///   - eventMask: the events for which the handler is called; an empty one and `.funlock` trap.
    ///   - queue: runs the handlers; nil: the default global queue.
    /// - Throws: if there is no such file, the process may not read it, or no descriptor is free. A
    ///   refusal by the kernel when the source is activated sets the source's `error`.
    public static func makeFileSystemObjectSource(
        path: String, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) throws -> any DispatchSourceFileSystemObject {
        checkMask(eventMask, "'\(path)'")
        let descriptor: Int32
        do throws(SystemError) {
            descriptor = try Descriptors.openPlace(path: path)
        } catch {
            throw FileSystemWatchError(opening: path, error)
        }
        let owned = OwnedDescriptor(adopting: descriptor)
        if let code = Descriptors.refusalToRead(descriptor) {
            guard FilePlace.canBeNamed else { throw FileSystemWatchError(withoutProc: code) }
            throw FileSystemWatchError(unreadable: path, code: code)
        }
        return FileSystemSourceObject(
            core: FileSystemSource(owning: owned, mask: eventMask, queue: queue))
    }

    private static func checkMask(_ mask: FileSystemEvent, _ object: String) {
        if mask.contains(.funlock) {
            fatalMisuse(
                "a file-system source of \(object) asks for .funlock: Linux does not tell when a "
                    + "lock is given up; leave it out of the event mask")
        }
        if mask.isEmpty || !mask.isSubset(of: .all) {
            fatalMisuse(
                "a file-system source of \(object) has the event mask \(mask.rawValue): give it "
                    + "one or more of FileSystemEvent.all")
        }
    }
}
