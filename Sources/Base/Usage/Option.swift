/// An option of a command line: its names, its value and its help.
///
/// The help has lines of at most 80 columns, including the column of names.
public struct Option: Sendable {
  /// The long name with its hyphens.
  public let name: String
  public let short: String?
  /// The placeholder of its value; `nil` for a flag.
  public let value: String?
  /// True if the option may be repeated.
  public let repeats: Bool
  /// The allowed values; empty if any value is allowed.
  let choices: [String]
  public let help: String

  public init(
    _ name: String,
    short: String? = nil,
    takes value: String? = nil,
    repeats: Bool = false,
    choices: [String] = [],
    _ help: String
  ) {
    (self.name, self.short, self.value, self.help) = (name, short, value, help)
    (self.repeats, self.choices) = (repeats, choices)
  }

  var names: [String] { [name] + (short.map { [$0] } ?? []) }

  public static let help = Option("--help", short: "-h", "print this")
  public static let version = Option("--version", "print the version")

  /// Throws an error if a value is not one of `choices`.
  func check(_ arguments: Arguments) throws(UsageError) {
    guard choices.isEmpty || arguments.all(name).allSatisfy(choices.contains) else {
      throw UsageError("\(name) takes one of \(choices.joined(separator: ", "))")
    }
  }

  /// The option as typed, with its short form: `-q, --quiet`.
  public var shown: String {
    let names = short.map { "\($0), \(name)" } ?? name
    return value.map { "\(names) \($0)" } ?? names
  }
}
