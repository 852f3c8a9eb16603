import Glibc
internal import Text

/// What is installed on a machine and which kernel runs, each `unknown` if it cannot be told.
public struct OperatingSystem: Sendable, Equatable {
  /// The distribution, as in `debian`.
  public let id: String
  /// Its version, as in `12`.
  public let version: String
  /// The kernel's release, as in `6.1.0-18-amd64`.
  public let kernel: String

  private static let unknown = "unknown"
  private static let places = ["/etc/os-release", "/usr/lib/os-release"]
  private static let longestFile = 16 * 1024
  private static let longestValue = 64

  /// What os-release(5) and uname(2) say.
  init(of host: Host) {
    let release = Self.release(of: host)
    id = Self.plain(release["ID"])
    version = Self.plain(release["VERSION_ID"])
    kernel = Self.plain(MachineNames().release)
  }

  /// The first file of the two that is there counts, unless others could have written it.
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

  /// A value as a shell would read it, without the escapes that no id and no version needs.
  private static func unquoted(_ value: Substring) -> String {
    guard let quote = value.first, quote == "\"" || quote == "'", value.count >= 2, value.last == quote
    else { return String(value) }
    return String(value.dropFirst().dropLast())
  }

  /// A value that consists of what names and versions consist of; any other is none.
  private static func plain(_ value: String?) -> String {
    guard let value, !value.isEmpty, value.utf8.count <= longestValue,
      value.utf8.allSatisfy({ byte in
        byte.isASCIILetterOrDigit || "._-+~".utf8.contains(byte)
      })
    else { return unknown }
    return value
  }
}
