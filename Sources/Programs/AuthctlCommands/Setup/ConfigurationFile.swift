internal import Configuration
internal import ControlClient
internal import Glibc
internal import SystemCalls

/// The configuration that the daemon of this user reads, as far as it may be written.
struct ConfigurationFile {
  let path: String
  /// Whether it is the one that the service manager starts a daemon with.
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

  /// What is there; nothing if there is no file.
  var before: String? {
    get throws(Failure) {
      guard access(path, F_OK) == 0 else { return nil }
      guard let text = String(validating: try InputFile(path).bytes, as: UTF8.self) else {
        throw .local(.usage, "\(path) is not UTF-8")
      }
      return text
    }
  }

  /// Writes it whole or not at all; what was there is kept beside it.
  func write(_ lines: [String]) throws(Failure) {
    makeDirectories()
    let new = path + ".new"
    // What a run that was killed left behind.
    unlink(new)
    let number = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, isSystems ? 0o644 : 0o600)
    guard number >= 0 else { throw failed("write \(new)") }
    // Whatever is masked: the daemon of the machine is another user.
    fchmod(number, isSystems ? 0o644 : 0o600)
    let text = lines.joined(separator: "\n") + "\n"
    let isWhole = (try? writeWhole(Array(text.utf8), to: number)) != nil && fsync(number) == 0
    close(number)
    var isKept = true
    if access(path, F_OK) == 0 {
      // At no moment is there no file.
      unlink(path + ".before")
      isKept = link(path, path + ".before") == 0
    }
    guard isWhole, isKept, rename(new, path) == 0 else {
      let failure = failed("write \(path)")
      unlink(new)
      throw failure
    }
  }

  /// Its directory and the one around that: a new user has no `~/.config` yet.
  private func makeDirectories() {
    let parts = path.split(separator: "/").dropLast()
    for count in [parts.count - 1, parts.count] where count > 0 {
      mkdir("/" + parts.prefix(count).joined(separator: "/"), isSystems ? 0o755 : 0o700)
    }
  }

  private func failed(_ what: SafeText) -> Failure {
    .local(.output, "cannot \(what): \(String(cString: strerror(errno)))")
  }
}
