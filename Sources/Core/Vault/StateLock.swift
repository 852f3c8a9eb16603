public import Glibc

/// The hold of one daemon on its state directory; the kernel lets it go when the process ends, however it ends.
public final class StateLock: Sendable {
  private let descriptor: Int32

  /// Why a directory could not be taken.
  public enum Failure: Error, CustomStringConvertible {
    /// Another process, of this id, has it.
    case held(by: pid_t)
    /// The directory or the file in it cannot be used.
    case unusable(String)

    /// The reason, for a person.
    public var description: String {
      switch self {
      case .held(let process): "the state directory is in use by process \(process)"
      case .unusable(let reason): "the state directory cannot be used: \(reason)"
      }
    }
  }

  /// Takes a directory, which is made if it is missing, for its owner alone.
  public init(directory: String) throws(Failure) {
    if mkdir(directory, 0o700) != 0, errno != EEXIST { throw Self.unusable() }
    // Another daemon leaves its file behind; only the lock on it counts.
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
