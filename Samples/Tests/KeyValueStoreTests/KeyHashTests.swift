import Testing

@testable import KeyValueStore

@Suite("Hashes of keys")
struct KeyHashTests {
    /// The key and the messages of the algorithm's published test vectors: bytes that count up.
    private let counting = KeyHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))

    @Test(
        "SipHash-2-4 has its published values",
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (2, 0x0d6c_8009_d9a9_4f5a),
            (8, 0x93f5_f579_9a93_2462), (15, 0xa129_ca61_49be_45e5),
        ] as [(Int, UInt64)])
    func vectors(count: Int, expected: UInt64) {
        let message = (0..<count).map { UInt8($0) }
        let hash = message.withUnsafeBytes { counting.hash($0, rounds: 2, finalRounds: 4) }
        #expect(hash == expected)
    }

    @Test("every byte of a key counts, and its length")
    func everyByte() {
        for count in 0..<40 {
            var key = [UInt8](repeating: 0, count: count)
            var hashes = Set([key.withUnsafeBytes(counting.hash)])
            for index in 0..<count {
                key[index] = 1
                hashes.insert(key.withUnsafeBytes(counting.hash))
                key[index] = 0
            }
            key.append(0)
            hashes.insert(key.withUnsafeBytes(counting.hash))
            #expect(hashes.count == count + 2)
        }
    }

    @Test("each store has another secret")
    func secrets() {
        let key: [UInt8] = [1, 2, 3]
        #expect(
            key.withUnsafeBytes(KeyHash.random().hash) != key.withUnsafeBytes(KeyHash.random().hash)
        )
    }
}
