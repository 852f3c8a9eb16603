public import Glibc

/// The lock of one daemon on its state directory; the kernel releases it when the process ends or crashes.
public final class StateLock: Sendable {
  private let descriptor: Int32

  /// The reason that a directory could not be locked.
  public enum Failure: Error, CustomStringConvertible {
    /// Another process with this id holds the lock.
    case held(by: pid_t)
    /// The directory or the file in it cannot be used.
    case unusable(String)

    /// The reason, for users.
    public var description: String {
      switch self {
      case .held(let process): "the state directory is in use by process \(process)"
      case .unusable(let reason): "the state directory cannot be used: \(reason)"
      }
    }
  }

  /// Locks a directory, which is created with mode 0700 if it is missing.
  public init(directory: String) throws(Failure) {
    if mkdir(directory, 0o700) != 0, errno != EEXIST { throw Self.unusable() }
    // A previous daemon leaves the file; only the lock on it matters.
    let descriptor = open(directory + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.unusable() }
    var request = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    guard fcntl(descriptor, F_SETLK, &request) == 0 else {
      let isHeld = errno == EAGAIN || errno == EACCES
      let holder = isHeld && fcntl(descriptor, F_GETLK, &request) == 0 ? request.l_pid : 0
      close(descriptor)
      throw isHeld ? .held(by: holder) : Self.unusable()
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  private static func unusable() -> Failure { .unusable(String(cString: strerror(errno))) }
}
