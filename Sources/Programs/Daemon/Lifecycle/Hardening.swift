internal import CLinux
import Glibc
internal import Journal
internal import OpenSSL

/// What the process gives up before it does anything else.
enum Hardening {
  /// Each arena for keys, ours and the library's: what is open at one time takes less than half of it, and users may
  /// lock 8 MiB.
  private static let arena = 512 * 1024
  /// What many clients made the daemon hold at once would stay with it, in pieces that fit nothing else.
  private static let largeBlock: Int32 = 64 * 1024
  /// More than the daemon ever opens for itself, backups, lookups and those included who wait to be looked up.
  private static let ownDescriptors = 512

  /// Forbids core files and tracing, keeps new files private, holds no memory for nothing, and locks some for keys.
  ///
  /// Returns whether keys are kept from being swapped out.
  static func apply() -> Bool {
    umask(0o077)
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is an error of the write, to be told to whoever asked, and no reason to die.
    signal(SIGXFSZ, SIG_IGN)
    clinux_give_back_blocks_of(largeBlock)
    _ = clinux_forbid_dumps()
    clinux_die_silently()
    return SecretMemory.lock(bytes: arena)
  }

  /// Lets there be so many connections, and what the daemon opens beside them, as far as the process may.
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
