internal import Glibc
internal import JOSE
internal import JSON
internal import OpenSSL
internal import WebAddress

/// What a journey is told of this machine: nothing that its users do not see themselves, and never where it is.
struct DeviceProfile: Sendable {
  private let identifier: String?
  private let metadata: JSON

  /// A profile of nothing.
  init() { (identifier, metadata) = (nil, [:]) }

  /// What was measured, as one server is told it: the same to it each time, and to no other server.
  init(posture: JSON, for origin: Origin, of owner: uid_t, machineID: String?) throws {
    identifier = try machineID.map { machine in
      let text = "mfad device profile\n\(origin.text)\n\(owner)\n\(machine)"
      return Base64URL.encode(try digest(Array(text.utf8), .sha256))
    }
    let system = posture["os"] ?? [:]
    metadata = [
      "platform": [
        "platform": "Linux", "version": system["kernel"] ?? "unknown", "brand": system["id"] ?? "unknown",
        "model": system["version"] ?? "unknown", "device": .string(Self.name(of: \.machine)),
        "deviceName": .string(Self.name(of: \.nodename)),
      ],
      "hardware": ["cpu": .int(sysconf(Int32(_SC_NPROCESSORS_CONF)))],
    ]
  }

  /// The profile with as much as the server asks for.
  func json(withMetadata isComplete: Bool) -> JSON {
    var profile = JSONObject()
    profile["identifier"] = identifier.map { .string($0) }
    if isComplete { profile["metadata"] = metadata }
    return .object(profile)
  }

  /// The id that the installation of this machine was given, machine-id(5).
  static func machineID() -> String? {
    guard let file = fopen("/etc/machine-id", "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 33)
    let count = fread(&bytes, 1, bytes.count, file)
    let text = String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return text.utf8.count == 32 && text.allSatisfy(\.isHexDigit) ? text : nil
  }

  private static func name<Name>(of part: KeyPath<utsname, Name>) -> String {
    var names = utsname()
    uname(&names)
    return withUnsafeBytes(of: names[keyPath: part]) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
