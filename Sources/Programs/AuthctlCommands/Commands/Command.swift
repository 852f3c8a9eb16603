public import ControlClient
internal import JSONRPC
public import Usage

/// One thing that `authctl` can do.
public struct Command: Sendable {
  /// The word or the two words that stand for it on the command line.
  public let name: String
  /// What stands after the name.
  public let usage: SafeText
  public let summary: SafeText
  public let details: SafeText
  /// Command lines as they may be typed, for its page of the help.
  public let examples: [SafeText]
  /// How many arguments it takes that are no options.
  let words: ClosedRange<Int>
  public let options: [Option]
  /// The candidates for its first argument, where they are known.
  let operands: Candidates?
  private let body: @Sendable (Session) throws(Failure) -> Void

  init(
    _ name: String,
    _ usage: SafeText = "",
    words: ClosedRange<Int> = 0...0,
    options: [Option] = [],
    operands: Candidates? = nil,
    summary: SafeText,
    details: SafeText = "",
    examples: [SafeText] = [],
    run: @escaping @Sendable (Session) throws(Failure) -> Void
  ) {
    self.name = name
    self.usage = usage
    self.words = words
    self.options = options
    self.operands = operands
    self.summary = summary
    self.details = details
    self.examples = examples
    body = run
  }

  func run(_ session: Session) throws(Failure) {
    do { try body(session) } catch {
      throw error.advising("\"authctl help \(name)\" shows its arguments", on: .invalidParams)
    }
  }
}

extension Failure {
  /// The same failure; where it is this error of the daemon's, with the name by which there is none.
  func naming(_ name: String, on error: RPCError) -> Failure {
    guard case .refused(var refusal) = self, refusal.isOne(of: error) else { return self }
    refusal.named = "\(name)"
    return .refused(refusal)
  }

  /// The same failure; where it is this error of the daemon's, with what the command knows to advise about
  /// it.
  func advising(_ advice: SafeText, on error: RPCError) -> Failure {
    guard case .refused(var refusal) = self, refusal.isOne(of: error), refusal.advice == nil else {
      return self
    }
    refusal.advice = advice
    return .refused(refusal)
  }
}
