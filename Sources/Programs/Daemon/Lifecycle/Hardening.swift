internal import CLinux
import Glibc
internal import Journal
internal import OpenSSL

/// Restrictions that the process applies to itself before anything else.
enum Hardening {
  /// Bytes of each of the two arenas for keys: the daemon's and OpenSSL's.
  ///
  /// Keys in use take less than half of an arena. A user may lock 8 MiB by default.
  private static let arena = 512 * 1024
  /// Free blocks of at least this size are returned to the system.
  ///
  /// Otherwise memory that many clients have used would stay with the process as fragments.
  private static let largeBlock: Int32 = 64 * 1024
  /// Number of descriptors for everything but admitted connections, such as backups and connections that wait
  /// for user lookups; the daemon needs fewer.
  private static let ownDescriptors = 512

  /// Forbids core files and tracing, makes new files private, and locks memory for keys.
  ///
  /// Returns true if keys cannot be swapped out.
  static func apply() -> Bool {
    umask(0o077)
    signal(SIGPIPE, SIG_IGN)
    // A write beyond the file size limit fails with an error for its caller, and does not kill the process.
    signal(SIGXFSZ, SIG_IGN)
    clinux_give_back_blocks_of(largeBlock)
    _ = clinux_forbid_dumps()
    clinux_die_silently()
    return SecretMemory.lock(bytes: arena)
  }

  /// Raises the descriptor limit, as far as permitted, for this number of connections and the daemon's own
  /// files.
  static func allow(connections: Int) {
    let wanted = connections + ownDescriptors
    let allowed = clinux_allow_descriptors(Int32(clamping: wanted))
    guard allowed < wanted else { return }
    Journal.warning(
      "fewer connections can be open than the configuration allows",
      ["descriptors": allowed, "wanted": wanted]
    )
  }
}
