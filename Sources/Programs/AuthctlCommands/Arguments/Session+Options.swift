internal import ControlClient
internal import Usage

extension Session {
  /// The failure of a command line that the command cannot mean.
  func misused(_ message: SafeText) -> Failure { command.misused(message) }

  /// The value of an option as what it has to be; `nil` if it is not given.
  func option<Value>(
    _ name: String,
    _ expected: String,
    _ read: (String) -> Value?
  ) throws(Failure) -> Value? {
    try options(name, expected, read).last
  }

  /// The values of an option that can be repeated.
  func options<Value>(
    _ name: String,
    _ expected: String,
    _ read: (String) -> Value?
  ) throws(Failure) -> [Value] {
    do throws(UsageError) { return try arguments.all(name, expected, read) } catch {
      throw command.misused(error)
    }
  }

  /// The one that is given of options that exclude each other.
  func one(of names: String...) throws(Failure) -> String? {
    let given = names.filter(arguments.has)
    guard given.count < 2 else { throw misused("\(given[0]) and \(given[1]) exclude each other") }
    return given.first
  }
}
