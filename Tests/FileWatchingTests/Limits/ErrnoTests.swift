import FileWatching
import RingDispatch
import SystemPackage
import Testing

@Suite("Errno", .watchdog)
struct ErrnoTests {
    @Test(
        "a constant of ErrorNumber is swift-system's constant of that name",
        arguments: [
            (ErrorNumber.permissionDenied, Errno.permissionDenied),
            (.notPermitted, .notPermitted),
            (.noSuchFileOrDirectory, .noSuchFileOrDirectory),
            (.noSpace, .noSpace),
            (.badFileDescriptor, .badFileDescriptor),
            (.tooManyOpenFiles, .tooManyOpenFiles),
            (.tooManyOpenFilesInSystem, .tooManyOpenFilesInSystem),
            (.noData, .noData),
            (.addressInUse, .addressInUse),
            (.addressNotAvailable, .addressNotAvailable),
            (.connectionRefused, .connectionRefused),
            (.connectionReset, .connectionReset),
            (.brokenPipe, .brokenPipe),
            (.protocolError, .protocolError),
            (.messageTooLong, .messageTooLong),
            (.networkUnreachable, .networkUnreachable),
            (.noRouteToHost, .noRouteToHost),
            (.timedOut, .timedOut),
            (.canceled, .canceled),
        ])
    func names(number: ErrorNumber, expected: Errno) {
        #expect(Errno(number) == expected)
        #expect(ErrorNumber(rawValue: expected.rawValue) == number)
    }
}
