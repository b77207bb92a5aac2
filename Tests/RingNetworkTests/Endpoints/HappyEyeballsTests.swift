import RingNetwork
import Testing

@Suite("Happy eyeballs")
struct HappyEyeballsTests {
    private func endpoints(_ hosts: String) throws -> [Endpoint] {
        try hosts.split(separator: " ").map { try Endpoint(host: String($0), port: 1) }
    }

    @Test(
        "families take turns, and each keeps its order",
        arguments: [
            ("", ""), ("1.0.0.1", "1.0.0.1"), ("::1 ::2 ::3", "::1 ::2 ::3"),
            ("::1 ::2 1.0.0.1 1.0.0.2", "::1 1.0.0.1 ::2 1.0.0.2"),
            ("1.0.0.1 1.0.0.2 ::1", "1.0.0.1 ::1 1.0.0.2"),
            ("::1 1.0.0.1 1.0.0.2 1.0.0.3", "::1 1.0.0.1 1.0.0.2 1.0.0.3"),
            ("::1 ::2 ::3 1.0.0.1", "::1 1.0.0.1 ::2 ::3"),
            ("::ffff:1.0.0.1 1.0.0.2 ::1", "::ffff:1.0.0.1 ::1 1.0.0.2"),
            ("name ::1 ::2 1.0.0.1", "::1 1.0.0.1 ::2 name"), ("name", "name"),
        ])
    func turns(hosts: String, ordered: String) throws {
        #expect(try HappyEyeballs.interleaved(endpoints(hosts)) == endpoints(ordered))
    }
}
