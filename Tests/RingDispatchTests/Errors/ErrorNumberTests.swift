import Glibc
import RingDispatch
import Testing

@Suite("Error numbers", .watchdog)
struct ErrorNumberTests {
    @Test("The description is the C library's text and the number")
    func description() {
        #expect("\(ErrorNumber.connectionReset)" == "Connection reset by peer (errno 104)")
        #expect("\(ErrorNumber(rawValue: 4711))" == "Unknown error 4711 (errno 4711)")
    }

    @Test("Numbers are equal if C's are")
    func equality() {
        #expect(ErrorNumber(rawValue: ECONNREFUSED) == .connectionRefused)
        #expect(ErrorNumber.connectionRefused != .connectionReset)
        let codes: Set = [ErrorNumber.noSpace, ErrorNumber(rawValue: ENOSPC)]
        #expect(codes.count == 1)
    }
}
