internal import CCurl
import Glibc

/// An IPv4 or IPv6 address, classified to decide whether a connection to it is permitted.
struct NetworkAddress: Equatable {
  /// Four or sixteen bytes.
  private let bytes: [UInt8]

  /// Reads the address of a socket; `nil` for other families.
  init?(_ address: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      bytes = withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in.self).sin_addr) { Array($0) }
    case AF_INET6:
      bytes = withUnsafeBytes(of: raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) }
    default: return nil
    }
  }

  /// Reads a numeric host of a URL; `nil` for names.
  init?(host: String) {
    let isBracketed = host.hasPrefix("[")
    let text = isBracketed ? String(host.dropFirst().dropLast()) : host
    var bytes = [UInt8](repeating: 0, count: isBracketed ? 16 : 4)
    guard inet_pton(isBracketed ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
    self.bytes = bytes
  }

  private init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// True if the address is a loopback address.
  var isLoopback: Bool {
    if let embedded { return embedded.isLoopback }
    return isWithin([127], 8) || bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// True if the address is public: not loopback, private, shared, link-local, reserved or multicast, and not
  /// an IPv6 form of such an IPv4 address.
  var isPublic: Bool {
    if let embedded { return embedded.isPublic }
    let special = bytes.count == 4 ? Self.specialIPv4 : Self.specialIPv6
    return !special.contains { isWithin($0.prefix, $0.length) }
  }

  /// The IPv4 address within an IPv6 address: mapped, compatible, NAT64 or 6to4; `nil` without one.
  private var embedded: NetworkAddress? {
    guard bytes.count == 16 else { return nil }
    let zeros = [UInt8](repeating: 0, count: 8)
    let isCompatible = isWithin(zeros + [0, 0, 0, 0], 96) && bytes[12..<15] != [0, 0, 0]
    if isCompatible || isWithin(zeros + [0, 0, 0xFF, 0xFF], 96)
      || isWithin([0, 0x64, 0xFF, 0x9B] + zeros, 96)
    {
      return NetworkAddress(bytes[12...])
    }
    return isWithin([0x20, 0x02], 16) ? NetworkAddress(bytes[2..<6]) : nil
  }

  private func isWithin(_ prefix: [UInt8], _ length: Int) -> Bool {
    let whole = length / 8
    guard prefix.count >= whole, bytes[..<whole] == prefix[..<whole] else { return false }
    let rest = length % 8
    guard rest > 0 else { return true }
    return (bytes[whole] ^ prefix[whole]) >> UInt8(8 - rest) == 0
  }

  /// The IANA registries of special-purpose addresses (RFC 6890), and multicast.
  private static let specialIPv4: [(prefix: [UInt8], length: Int)] = [
    ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
    ([192, 0, 2], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24), ([203, 0, 113], 24),
    ([224], 4), ([240], 4),
  ]

  private static let specialIPv6: [(prefix: [UInt8], length: Int)] = [
    ([UInt8](repeating: 0, count: 8), 64), ([0, 0x64, 0xFF, 0x9B, 0, 1], 48),
    ([1, 0, 0, 0, 0, 0, 0, 0], 64), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0xFC], 7), ([0xFE, 0x80], 10),
    ([0xFE, 0xC0], 10), ([0xFF], 8),
  ]
}

/// The addresses to which a request may connect.
enum PermittedAddresses {
  /// Public addresses, and the configured host if it is a numeric address or `localhost`.
  case ofHost(String)
  /// Any address: the connection goes to the proxy, which the administrator has chosen.
  case any

  func permit(_ address: NetworkAddress) -> Bool {
    switch self {
    case .any: true
    case .ofHost("localhost"): address.isLoopback
    case .ofHost(let host): address.isPublic || NetworkAddress(host: host) == address
    }
  }
}
