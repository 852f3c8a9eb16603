internal import ControlClient
internal import Glibc

/// A user of this machine.
struct SystemUser {
  let id: uid_t

  /// Finds a user by name; a number is a uid, which need not belong to a user any more.
  init?(_ text: String) {
    if let entry = getpwnam(text) {
      id = entry.pointee.pw_uid
    } else if let number = uid_t(text), number != .max {
      id = number
    } else {
      return nil
    }
  }

  /// Returns the name and the uid: `ann (1000)`; the uid alone if no user has it.
  static func name(of id: uid_t) -> SafeText {
    guard let entry = getpwuid(id), let name = entry.pointee.pw_name else { return "user \(id)" }
    return "\(String(cString: name)) (\(id))"
  }
}

extension Session {
  /// The user of `--user`; `nil` if it is not given.
  var userOption: uid_t? {
    get throws(Failure) {
      try option("--user", "the name or the uid of a user") { SystemUser($0)?.id }
    }
  }
}
