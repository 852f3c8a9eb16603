/// What there is to know of an option: its names, what stands after it, and what it means.
///
/// The help of a program's option has lines of at most 80 columns together with what stands before them.
public struct Option: Sendable {
  /// The long name with its hyphens.
  public let name: String
  public let short: String?
  /// What its value is called; `nil` if it takes none.
  public let value: String?
  /// Whether it can be given more than once.
  public let repeats: Bool
  /// The values that it takes, where those are few; else none.
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

  /// Refuses values that are none of those that it takes.
  func check(_ arguments: Arguments) throws(UsageError) {
    guard choices.isEmpty || arguments.all(name).allSatisfy(choices.contains) else {
      throw UsageError("\(name) takes one of \(choices.joined(separator: ", "))")
    }
  }

  /// As it is typed, with its short form: `-q, --quiet`.
  public var shown: String {
    let names = short.map { "\($0), \(name)" } ?? name
    return value.map { "\(names) \($0)" } ?? names
  }
}
