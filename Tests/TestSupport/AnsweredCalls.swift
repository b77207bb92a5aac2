import Glibc

// System calls that a thread of the process answers in place of the kernel. seccomp_unotify(2).
extension CallFilter {
    /// struct seccomp_notif: the identifier is the first word, and 80 bytes are its size.
    private typealias Notice = (
        identifier: UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
    )

    /// struct seccomp_notif_resp.
    private struct Answer {
        var identifier: UInt64
        var value: Int64 = 0
        var error: Int32 = 0
        var flags: UInt32 = 0
    }

    /// Installs a filter for all threads, whose `notify` lets a thread decide.
    /// - Parameter error: the errno of a call; 0: the kernel carries it out.
    /// - Returns: false where that is impossible.
    package static func answer(
        _ program: [Instruction], with error: @escaping @Sendable () -> Int32
    ) -> Bool {
        let listener = Watched<Int?>(nil)
        // Before the filter, which may stop new threads.
        _ = UserThread {
            _ = listener.wait(seconds: Patience.seconds) { $0 != nil }
            guard let number = listener.value, number >= 0 else { return }
            while answerNext(Int32(number), error) {}
        }
        // SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_TSYNC_ESRCH
        let number = install(program, flags: 8 | 16)
        listener.update { $0 = number }
        return number >= 0
    }

    private static func answerNext(_ listener: Int32, _ error: () -> Int32) -> Bool {
        var notice: Notice = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        // SECCOMP_IOCTL_NOTIF_RECV
        guard ioctl(listener, 0xc050_2100, &notice) == 0 else {
            // ENOENT: a signal has ended the call.
            return errno == EINTR || errno == ENOENT
        }
        var answer = Answer(identifier: notice.identifier)
        let code = error()
        if code == 0 {
            answer.flags = 1  // SECCOMP_USER_NOTIF_FLAG_CONTINUE
        } else {
            answer.error = -code
        }
        // SECCOMP_IOCTL_NOTIF_SEND
        return ioctl(listener, 0xc018_2101, &answer) == 0 || errno == ENOENT
    }
}
