import Glibc
import RingNetwork
import Testing

@testable import LinuxPlatform

/// Conversion to the kernel's addresses, tested with real sockets.
@Suite("Socket addresses")
struct SocketAddressTests {
    /// Binds a socket and asks the kernel for its name.
    private func bound(_ address: SocketAddress) throws -> SocketAddress {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(Int32(address.family), kind, 0)
        try #require(descriptor >= 0, "errno \(errno)")
        defer { close(descriptor) }
        let result = address.withSockaddr { bind(descriptor, $0, $1) }
        try #require(result == 0, "errno \(errno)")
        var name = SocketAddress()
        #expect(name.fill { getsockname(descriptor, $0, $1) } == 0)
        return name
    }

    @Test("the kernel binds an endpoint, and reports the same one")
    func ipv4() throws {
        let name = try bound(Endpoint("127.0.0.1:0").socketAddress())
        let endpoint = try #require(Endpoint(name))
        #expect(endpoint.ipAddress == .v4(.loopback))
        #expect(endpoint.port != 0)
        #expect(try endpoint.socketAddress() == name)
    }

    private static let hasIPv6 =
        (try? Endpoint("[::1]:9").socketAddress()).map { NameLookup.hasRoute(to: $0) } ?? false

    @Test("IPv6, too, where the machine has it", .enabled(if: hasIPv6, "no IPv6"))
    func ipv6() throws {
        let name = try bound(Endpoint("[::1]:0").socketAddress())
        #expect(Endpoint(name)?.ipAddress == .v6(.loopback))
    }

    @Test("abstract names keep their length, NULs included")
    func abstract() throws {
        let name = Array("ring-\(getpid())-".utf8) + [0, 0]
        let endpoint = Endpoint.unix(try UnixAddress(bytes: name, isAbstract: true))
        let address = try endpoint.socketAddress()
        #expect(address.length == 2 + 1 + name.count)
        #expect(Endpoint(try bound(address)) == endpoint)
    }

    @Test("paths of Unix sockets, up to the longest")
    func path() throws {
        var template = Array("/tmp/ring-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        let bytes = template.dropLast().map(UInt8.init(bitPattern:))
        let folder = String(decoding: bytes, as: UTF8.self)
        defer { rmdir(folder) }
        for length in [folder.utf8.count + 2, UnixAddress.longestBytes] {
            let file = String(repeating: "s", count: length - folder.utf8.count - 1)
            let endpoint = Endpoint.unix(try UnixAddress(path: folder + "/" + file))
            let address = try endpoint.socketAddress()
            #expect(address.length == 2 + length + 1)
            let name = try bound(address)
            unlink(folder + "/" + file)
            #expect(Endpoint(name) == endpoint)
        }
    }

    @Test("an unnamed Unix socket has no endpoint")
    func unnamed() throws {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &pair) == 0)
        defer { pair.forEach { close($0) } }
        var peer = SocketAddress()
        #expect(peer.fill { getpeername(pair[0], $0, $1) } == 0)
        #expect(peer.parts == .unixUnnamed)
        #expect(Endpoint(peer) == nil)
        #expect(Endpoint(SocketAddress()) == nil)
    }

    @Test("the bytes are those of the C structures")
    func bytes() throws {
        let ipv4 = try Endpoint("1.2.3.4:258").socketAddress()
        #expect(ipv4.withBytes { Array($0) } == [2, 0, 1, 2, 1, 2, 3, 4] + zeros(8))
        let ipv6 = try Endpoint("[102:304::f%258]:258").socketAddress()
        #expect(
            ipv6.withBytes { Array($0) }
                == [10, 0, 1, 2] + zeros(4) + [1, 2, 3, 4] + zeros(11) + [15, 2, 1, 0, 0])
        let path = try Endpoint("unix:/a").socketAddress()
        #expect(path.withBytes { Array($0) } == [1, 0, 0x2f, 0x61, 0])
        let abstract = try Endpoint("unix:@a").socketAddress()
        #expect(abstract.withBytes { Array($0) } == [1, 0, 0, 0x61])
    }

    @Test("a path of another program that fills all of sun_path is shown")
    func fullPath() {
        let path = [UInt8](repeating: 0x61, count: 108)
        let address = ([1, 0] + path).withUnsafeBytes { SocketAddress(copying: $0) }
        #expect(address.parts == .unixPath(path))
        let endpoint = Endpoint(address)
        #expect(endpoint?.description == "unix:" + String(repeating: "a", count: 108))
        #expect(throws: EndpointError.self) { try endpoint?.socketAddress() }
    }

    @Test("a truncated address, or one of another family, has no parts", arguments: 0...32)
    func short(length: Int) {
        for family: UInt8 in [0, 1, 2, 10, 16] {
            let bytes = Array(([family, 0] + zeros(30)).prefix(length))
            let address = bytes.withUnsafeBytes { SocketAddress(copying: $0) }
            #expect(address.length == length)
            let isWhole = (family == 2 && length >= 16) || (family == 10 && length >= 28)
            // Each byte of a Unix socket's name counts.
            let isName = family == 1 && length > 3
            if !isWhole && !isName { #expect(Endpoint(address) == nil, "\(family)") }
        }
        let long = zeros(1000).withUnsafeBytes { SocketAddress(copying: $0) }
        #expect(long.length == SocketAddress.capacity)
    }

    private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    @Test("a zone's name is looked up when the address is needed")
    func zones() throws {
        let index = try #require(NetworkInterfaces.index(of: "lo"))
        #expect(NetworkInterfaces.name(of: index) == "lo")
        let byName = try Endpoint("[fe80::1%lo]:80").socketAddress()
        #expect(try byName == Endpoint("[fe80::1%\(index)]:80").socketAddress())
        #expect(try Endpoint(byName) == Endpoint("[fe80::1%\(index)]:80"))
        let unknown = try Endpoint("[fe80::1%none-such]:80")
        let error = #expect(throws: EndpointError.self) { try unknown.socketAddress() }
        #expect(error?.reason == .unknownInterface)
        #expect(InterfaceZone(index: 0) == nil)
    }

    @Test("a name has to be resolved first")
    func unresolved() throws {
        let endpoint = try Endpoint("example.org:80")
        let error = #expect(throws: EndpointError.self) { try endpoint.socketAddress() }
        #expect(error?.reason == .unresolvedHost)
        let local = #expect(throws: EndpointError.self) {
            try Listener(Endpoint("localhost:7007"))
        }
        let text = local?.description ?? ""
        #expect(text.contains("127.0.0.1 or [::1]") && text.contains("Resolver"), "\(text)")
    }
}
