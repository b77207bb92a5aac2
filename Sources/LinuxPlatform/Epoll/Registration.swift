/// A one-shot wait for poll(2) events of a descriptor.
struct Registration {
    var events: UInt32
    var token: UInt64
}
