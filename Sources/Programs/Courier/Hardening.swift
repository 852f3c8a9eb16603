internal import CLinux
import Glibc

/// What the process gives up before it reads anything from anybody.
enum Hardening {
  /// Passwords and tokens pass through here: no core file and no debugger may show them.
  static func apply() {
    _ = clinux_forbid_dumps()
    clinux_die_silently()
    _ = clinux_forbid_new_privileges()
    // Proxies, key logs, resolver options and configuration of the libraries: none of them is ours to obey.
    clearenv()
    umask(0o077)
  }
}
