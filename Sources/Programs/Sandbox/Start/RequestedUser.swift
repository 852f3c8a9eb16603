import FoundationEssentials
import Text
import Time
import Usage

/// A user that the command line requests; without a password, the sandbox creates one.
public struct RequestedUser: Sendable, Equatable {
  let username: String
  let password: String?

  private static let lengths = 1...128
  private static let passwordLengths = 1...256
  private static let maximumFile = 1024 * 1024

  /// Reads `NAME` or `NAME:PASSWORD`; the password may contain colons.
  init(_ text: Substring) throws(UsageError) {
    let parts = text.parted(by: ":")
    username = String(parts?.before ?? text)
    password = parts.map { String($0.after) }
    guard Self.lengths.contains(username.utf8.count) else {
      throw UsageError("the name of a user must have from 1 to 128 bytes")
    }
    guard password.map({ Self.passwordLengths.contains($0.utf8.count) }) ?? true else {
      throw UsageError("the password of \(username) must have from 1 to 256 bytes")
    }
  }

  /// Reads a file with a user on each line; empty lines and lines that begin with # are ignored.
  static func list(file path: String) throws(UsageError) -> [RequestedUser] {
    guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= maximumFile,
      let text = String(validating: bytes, as: UTF8.self)
    else { throw UsageError("--users takes a file of at most 1 MiB, and \"\(path)\" cannot be read as one") }
    var users: [RequestedUser] = []
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      users.append(try RequestedUser(line))
    }
    return users
  }
}

extension PlatformUser {
  private static let names = ["ann": ("Ann", "Archer"), "bob": ("Bob", "Baker")]

  /// Creates a user of a new sandbox.
  init(seeded username: String, password: String?, at now: Timestamp) {
    self.init(
      username: username,
      password: password ?? randomText(16, of: tokenAlphabet),
      email: "\(username)@example.com",
      given: Self.names[username]?.0,
      family: Self.names[username]?.1,
      createdAt: now,
      updatedAt: now
    )
  }

  static var standardNames: [String] { names.keys.sorted() }
}

extension Tenant {
  /// Creates the requested users that do not exist, and sets the requested passwords.
  func ensure(_ requested: [RequestedUser]) throws(ErrorResponse) {
    for wanted in requested {
      if let user = user(named: wanted.username) {
        users[user.id]?.password = wanted.password ?? user.password
      } else {
        try add(PlatformUser(seeded: wanted.username, password: wanted.password, at: clock.now))
      }
    }
  }
}
