import JSON

struct DeviceRequirements: Codable, Sendable {
  private var secureBoot = false
  private var diskEncryption = false
  private var kernelLockdown = false
  private var minimumVersion: String?

  static let fields: [ResourceField<DeviceRequirements>] = [
    ResourceField("secureBootRequire", \.secureBoot, .flag),
    ResourceField("diskEncryptionRequire", \.diskEncryption, .flag),
    ResourceField("kernelLockdownRequire", \.kernelLockdown, .flag),
    ResourceField("minimumOSVersionRequire.linux", \.minimumVersion, .version),
  ]

  var isEmpty: Bool { !secureBoot && !diskEncryption && !kernelLockdown && minimumVersion == nil }

  /// Returns descriptions of the requirements that a posture does not meet.
  func unmet(by posture: ReportedPosture) -> [String] {
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

  fileprivate static func numbers(_ version: String) -> [Int]? {
    let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    let numbers = parts.compactMap(\.self)
    return numbers.count == parts.count && numbers.allSatisfy { $0 >= 0 } ? numbers : nil
  }
}

extension Form where Value == String {
  fileprivate static var version: Form {
    Form(.text) { members, name throws(ErrorResponse) in
      guard let text = try members.text(name, maximum: 32) else { return nil }
      guard DeviceRequirements.numbers(text) != nil else {
        throw members.invalid(name, "must be a version of numbers and dots")
      }
      return text
    }
  }
}
