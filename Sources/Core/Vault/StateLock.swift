public import Glibc
internal import SystemCalls

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
      case .unusable(let reason):
        "the state directory cannot be used: \(reason); --state-directory DIR names another"
      }
    }
  }

  /// True if the file of the lock is not writable; several processes may then read the state.
  let isReadOnly: Bool

  /// Locks a directory, which is created with its parents and mode 0700 if it is missing.
  public init(directory: String) throws(Failure) {
    do { try makeDirectory(directory) } catch { throw .unusable("\(error)") }
    // A previous daemon leaves the file; only the lock on it matters.
    let path = directory + "/lock"
    var descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    let failure = SystemError("open", at: path)
    isReadOnly = descriptor < 0 && [EROFS, EACCES].contains(failure.code)
    if isReadOnly { descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
    guard descriptor >= 0 else { throw .unusable("\(failure)") }
    let kind = Int16(isReadOnly ? F_RDLCK : F_WRLCK)
    var request = flock(l_type: kind, l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    guard fcntl(descriptor, F_SETLK, &request) == 0 else {
      let failure = SystemError("fcntl", at: path)
      let isHeld = failure.code == EAGAIN || failure.code == EACCES
      let holder = isHeld && fcntl(descriptor, F_GETLK, &request) == 0 ? request.l_pid : 0
      close(descriptor)
      throw isHeld ? .held(by: holder) : .unusable("\(failure)")
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}
