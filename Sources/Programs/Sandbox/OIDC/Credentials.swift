import OpenSSL

extension Tenant {
  /// The user of that name, whatever its letters' case.
  func user(named username: String) -> User? {
    users.first { $0.username.lowercased() == username.lowercased() }
  }

  /// The user of that name if the password is theirs.
  func user(named username: String, password: String) -> User? {
    let user = user(named: username)
    // A user without a password compares with an empty one, which is never right.
    let isRight = constantTimeEqual(Array((user?.password ?? "").utf8), Array(password.utf8))
    return isRight && !password.isEmpty ? user : nil
  }
}
