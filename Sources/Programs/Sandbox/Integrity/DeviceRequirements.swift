import JSON

struct DeviceRequirements: Codable, Sendable {
  private var secureBoot = false
  private var diskEncryption = false
  private var kernelLockdown = false
  private var minimumVersion: String?

  init() {}

  init(_ members: Members) throws(Refusal) {
    secureBoot = try members.bool("secureBootRequire") ?? false
    diskEncryption = try members.bool("diskEncryptionRequire") ?? false
    kernelLockdown = try members.bool("kernelLockdownRequire") ?? false
    guard let versions = try members.members("minimumOSVersionRequire") else { return }
    minimumVersion = try versions.text("linux", maximum: 32)
    guard minimumVersion.map({ Self.numbers($0) != nil }) ?? true else {
      throw versions.invalid("linux", "must be a version of numbers and dots")
    }
  }

  var isEmpty: Bool { !secureBoot && !diskEncryption && !kernelLockdown && minimumVersion == nil }

  var json: JSON {
    .of([
      "secureBootRequire": secureBoot ? true : nil, "diskEncryptionRequire": diskEncryption ? true : nil,
      "kernelLockdownRequire": kernelLockdown ? true : nil,
      "minimumOSVersionRequire": minimumVersion.map { JSON.of(["linux": $0]) },
    ])
  }

  /// What of the requirements a posture does not meet, in words; empty if it meets them.
  func unmet(by posture: Posture) -> [String] {
    var unmet: [String] = []
    if secureBoot, posture.secureBoot != .enabled { unmet.append("secure boot is not enabled") }
    if diskEncryption, posture.diskEncryption != .enabled { unmet.append("the disk is not encrypted") }
    if kernelLockdown, posture.kernelLockdown == .none || posture.kernelLockdown == .unknown {
      unmet.append("the kernel is not locked down")
    }
    if let minimumVersion, !Self.isVersion(posture.systemVersion, atLeast: minimumVersion) {
      unmet.append("the system is older than \(minimumVersion)")
    }
    return unmet
  }

  private static func isVersion(_ version: String?, atLeast minimum: String) -> Bool {
    guard let version = version.flatMap(numbers), let minimum = numbers(minimum) else { return false }
    let length = max(version.count, minimum.count)
    func filled(_ numbers: [Int]) -> [Int] { numbers + Array(repeating: 0, count: length - numbers.count) }
    return !filled(version).lexicographicallyPrecedes(filled(minimum))
  }

  private static func numbers(_ version: String) -> [Int]? {
    let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    let numbers = parts.compactMap(\.self)
    return numbers.count == parts.count && numbers.allSatisfy { $0 >= 0 } ? numbers : nil
  }
}
