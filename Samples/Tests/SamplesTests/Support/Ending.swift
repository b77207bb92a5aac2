/// How a process ended.
enum Ending: Equatable, Sendable {
    case exit(Int32)
    case signal(Int32)

    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7f
        self = signal == 0 ? .exit((waitStatus >> 8) & 0xff) : .signal(signal)
    }
}
