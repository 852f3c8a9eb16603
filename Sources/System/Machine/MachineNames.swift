import Glibc

/// What the kernel and the installation call this machine.
package struct MachineNames: Sendable {
  /// As in `Linux`, `host`, `6.1.0-18-amd64` and `x86_64`, uname(2).
  package let system, host, release, hardware: String

  /// Those of this machine, now.
  package init() {
    var names = utsname()
    uname(&names)
    (system, host) = (Self.text(of: names.sysname), Self.text(of: names.nodename))
    (release, hardware) = (Self.text(of: names.release), Self.text(of: names.machine))
  }

  package var processors: Int { sysconf(Int32(_SC_NPROCESSORS_CONF)) }

  /// The id that the installation was given, machine-id(5); `nil` without one.
  package var installation: String? {
    let id = Host().text("/etc/machine-id", limit: 64)
    return id.flatMap { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) ? $0 : nil }
  }

  private static func text<Field>(of field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
