/// What a program's command line asks for.
package protocol ProgramOptions: Sendable {
  static var usage: ProgramUsage<Self> { get }
  /// What an empty command line asks for.
  init()
  /// Whether only the usage is to be printed.
  var wantsHelp: Bool { get }
  /// Whether only the version is to be printed.
  var wantsVersion: Bool { get }
  /// Refuses what does not go together.
  func check() throws(UsageError)
}

extension ProgramOptions {
  /// What a program does besides has no version of its own.
  package var wantsVersion: Bool { false }

  package func check() throws(UsageError) {}

  /// Reads the arguments that follow the program's name.
  package init(parsing arguments: ArraySlice<String>) throws(UsageError) {
    self.init()
    try Self.usage.read(arguments, into: &self)
  }
}

extension ProgramUsage where Values: ProgramOptions {
  /// Goes by the command line, the program's name first, unless it is wrong or asks only what the program is; returns the
  /// exit code.
  package func run(_ arguments: [String], _ body: (Values) -> Int32) -> Int32 {
    do throws(UsageError) {
      let options = try Values(parsing: arguments.dropFirst())
      if options.wantsHelp { return say(help) }
      if options.wantsVersion { return say("\(program) \(Version.text)\n") }
      try options.check()
      return body(options)
    } catch {
      complain(error)
      return wrongUsage
    }
  }

  private var wrongUsage: Int32 { 2 }
}
