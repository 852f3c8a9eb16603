internal import CLinux
import Glibc
internal import OpenSSL

/// What the process gives up before it does anything else.
enum Hardening {
  /// Each arena for keys, ours and the library's: what is open at one time takes less than half of it, and users may
  /// lock 8 MiB.
  private static let arena = 512 * 1024

  /// Forbids core files and tracing, keeps new files private, and sets up locked memory for keys.
  ///
  /// Returns whether keys are kept from being swapped out.
  static func apply() -> Bool {
    umask(0o077)
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is an error of the write, to be told to whoever asked, and no reason to die.
    signal(SIGXFSZ, SIG_IGN)
    _ = clinux_forbid_dumps()
    return SecretMemory.lock(bytes: arena)
  }
}
