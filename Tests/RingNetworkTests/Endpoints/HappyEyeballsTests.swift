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

    @Test("the first family may have more than one attempt first")
    func firstFamily() throws {
        let hosts = try endpoints("::1 ::2 ::3 1.0.0.1 1.0.0.2")
        #expect(
            try HappyEyeballs.interleaved(hosts, firstFamilyCount: 2)
                == endpoints("::1 ::2 1.0.0.1 ::3 1.0.0.2"))
        #expect(
            HappyEyeballs.interleaved(hosts, firstFamilyCount: 0)
                == HappyEyeballs.interleaved(hosts))
        #expect(HappyEyeballs.interleaved(hosts, firstFamilyCount: 9) == hosts)
    }
}
