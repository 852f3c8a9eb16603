internal import ControlClient

/// One thing that `authctl` can do.
package struct Command: Sendable {
  /// The word or the two words that stand for it on the command line.
  package let name: String
  /// What stands after the name.
  let usage: SafeText
  let summary: SafeText
  let details: SafeText
  /// How many arguments it takes that are no options.
  let words: ClosedRange<Int>
  let options: [Option]
  let run: @Sendable (Session) throws(Failure) -> Void

  init(
    _ name: String,
    _ usage: SafeText = "",
    words: ClosedRange<Int> = 0...0,
    options: [Option] = [],
    summary: SafeText,
    details: SafeText = "",
    run: @escaping @Sendable (Session) throws(Failure) -> Void
  ) {
    self.name = name
    self.usage = usage
    self.words = words
    self.options = options
    self.summary = summary
    self.details = details
    self.run = run
  }
}
