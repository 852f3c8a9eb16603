import Glibc
internal import Text

/// The installed distribution and the running kernel; `unknown` for each unknown value.
public struct OperatingSystem: Sendable, Equatable {
  /// The id of the distribution, such as `debian`.
  public let id: String
  /// The version of the distribution, such as `12`.
  public let version: String
  /// The release of the kernel, such as `6.1.0-18-amd64`.
  public let kernel: String

  private static let unknown = "unknown"
  private static let places = ["/etc/os-release", "/usr/lib/os-release"]
  private static let longestFile = 16 * 1024
  private static let longestValue = 64

  /// Reads os-release(5) and uname(2).
  init(of host: Host) {
    let release = Self.release(of: host)
    id = Self.plain(release["ID"])
    version = Self.plain(release["VERSION_ID"])
    kernel = Self.plain(MachineNames().release)
  }

  /// Reads the first existing file of the two; ignores it if other users can write it.
  private static func release(of host: Host) -> [Substring: String] {
    guard let place = places.lazy.compactMap({ host.resolve($0) }).first, place.isProtected == true,
      let text = host.text(place.path, limit: longestFile)
    else { return [:] }
    var values: [Substring: String] = [:]
    for line in text.split(separator: "\n") {
      guard let sign = line.firstIndex(of: "="), !line.hasPrefix("#") else { continue }
      values[line[..<sign]] = unquoted(line[line.index(after: sign)...])
    }
    return values
  }

  /// Removes the quotes of a value.
  ///
  /// Escapes are not decoded, because ids and versions do not need them.
  private static func unquoted(_ value: Substring) -> String {
    guard let quote = value.first, quote == "\"" || quote == "'", value.count >= 2, value.last == quote
    else { return String(value) }
    return String(value.dropFirst().dropLast())
  }

  /// Returns the value if it has only characters of names and versions, otherwise `unknown`.
  private static func plain(_ value: String?) -> String {
    guard let value, !value.isEmpty, value.utf8.count <= longestValue,
      value.utf8.allSatisfy({ byte in
        byte.isASCIILetterOrDigit || "._-+~".utf8.contains(byte)
      })
    else { return unknown }
    return value
  }
}
