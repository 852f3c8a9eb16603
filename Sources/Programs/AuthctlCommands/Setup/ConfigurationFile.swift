internal import Configuration
internal import ControlClient
internal import Glibc
internal import SystemCalls

/// The configuration file of this user's daemon.
struct ConfigurationFile {
  let path: String
  /// True if it is the file with which systemd starts the daemon.
  let isStandard: Bool
  private let isSystems: Bool

  init(_ given: String?) throws(Failure) {
    (isSystems, isStandard) = (geteuid() == 0, given == nil)
    if let given {
      path = given
    } else if let usual = ProcessEnvironment.configurationFile {
      path = usual
    } else {
      throw .local(.usage, "no home directory for the configuration", hint: "give --config FILE")
    }
  }

  /// The present contents; `nil` if there is no file.
  var before: String? {
    get throws(Failure) {
      guard access(path, F_OK) == 0 else { return nil }
      guard let text = String(validating: try InputFile(path).bytes, as: UTF8.self) else {
        throw .local(.usage, "\(path) is not UTF-8")
      }
      return text
    }
  }

  /// Replaces the file atomically; the previous one is kept with the suffix `.before`.
  func write(_ lines: [String]) throws(Failure) {
    makeDirectories()
    let new = path + ".new"
    // A run that was killed may have left this file.
    unlink(new)
    let number = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, isSystems ? 0o644 : 0o600)
    guard number >= 0 else { throw failed("write \(new)") }
    // The mode must not depend on the umask: the daemon of the machine, another user, reads the file.
    fchmod(number, isSystems ? 0o644 : 0o600)
    let text = lines.joined(separator: "\n") + "\n"
    let isWhole = (try? writeWhole(Array(text.utf8), to: number)) != nil && fsync(number) == 0
    close(number)
    var isKept = true
    if access(path, F_OK) == 0 {
      // link(2) and rename(2) ensure that the file always exists.
      unlink(path + ".before")
      isKept = link(path, path + ".before") == 0
    }
    guard isWhole, isKept, rename(new, path) == 0 else {
      let failure = failed("write \(path)")
      unlink(new)
      throw failure
    }
  }

  /// Creates the file's directory and its parent: a new user has no `~/.config` yet.
  private func makeDirectories() {
    let parts = path.split(separator: "/").dropLast()
    for count in [parts.count - 1, parts.count] where count > 0 {
      let (directory, mode) = ("/" + parts.prefix(count).joined(separator: "/"), isSystems ? 0o755 : 0o700)
      // The mode of a new directory must not depend on the umask either.
      if mkdir(directory, mode_t(mode)) == 0 { chmod(directory, mode_t(mode)) }
    }
  }

  private func failed(_ problem: SafeText) -> Failure {
    .local(.output, "cannot \(problem): \(String(cString: strerror(errno)))")
  }
}
