import Testing

@testable import CurlClient

@Suite("Network addresses")
struct NetworkAddressTests {
  @Test(
    "a non-public address is recognised in every form",
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
      "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1", "198.18.0.1", "198.19.255.255",
      "224.0.0.1", "240.0.0.1", "255.255.255.255", "[::]", "[::1]", "[::ffff:127.0.0.1]",
      "[::ffff:10.0.0.1]", "[::7f00:1]", "[64:ff9b::a00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::1]",
      "[fc00::1]",
      "[fdff::1]", "[fe80::1]", "[febf::1]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]",
    ]
  )
  func special(host: String) throws {
    let address = try #require(NetworkAddress(host: host))
    #expect(!address.isPublic)
    #expect(!PermittedAddresses.ofHost("example.com").permit(address))
    #expect(PermittedAddresses.ofHost(host).permit(address))
    #expect(PermittedAddresses.any.permit(address))
  }

  @Test(
    "an address next to a special range is public",
    arguments: [
      "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
      "128.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "198.17.255.255", "198.20.0.0",
      "223.255.255.255", "[2606:4700::1]", "[::ffff:1.1.1.1]", "[64:ff9b::101:101]", "[2002:101:101::1]",
      "[fbff::1]",
    ]
  )
  func ordinary(host: String) throws {
    #expect(try #require(NetworkAddress(host: host)).isPublic)
  }

  @Test("localhost permits loopback addresses only")
  func localhost() throws {
    let permitted = PermittedAddresses.ofHost("localhost")
    for host in ["127.0.0.1", "[::1]"] { #expect(try permitted.permit(#require(NetworkAddress(host: host)))) }
    for host in ["10.0.0.1", "1.1.1.1", "[::]"] {
      #expect(try !permitted.permit(#require(NetworkAddress(host: host))))
    }
  }

  @Test("names and ambiguous address forms are not parsed as addresses")
  func names() {
    for host in ["localhost", "127.1", "0x7f000001", "2130706433", "[::1%25lo]", "127.0.0.01"] {
      #expect(NetworkAddress(host: host) == nil)
    }
  }
}
