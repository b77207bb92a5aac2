/// Stack space for the `Frame` of one `sync`.
@usableFromInline
struct SyncScope {
    private var words: (UInt, UInt, UInt) = (0, 0, 0)

    @usableFromInline
    init() {}
}
