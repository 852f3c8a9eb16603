import Glibc
internal import PingOne

extension DeviceDescription {
  /// What this machine says of itself: its host name and its kernel, uname(2).
  static func thisMachine(applicationID: String) -> DeviceDescription {
    var names = utsname()
    uname(&names)
    return DeviceDescription(
      name: text(of: names.nodename),
      osVersion: "\(text(of: names.sysname)) \(text(of: names.release))",
      applicationID: applicationID,
      version: Version.text
    )
  }

  private static func text<Field>(of field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
