public import ControlClient
internal import JSONRPC
public import Usage

/// A command of `authctl`.
public struct Command: Sendable {
  /// One or two words.
  public let name: String
  /// The arguments after the name.
  public let usage: SafeText
  public let summary: SafeText
  public let details: SafeText
  /// Example command lines for the help.
  public let examples: [SafeText]
  /// Number of arguments that are not options.
  let words: ClosedRange<Int>
  public let options: [Option]
  /// The completion candidates of the first argument, if they are known.
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
      throw error.withHint("\"authctl help \(name)\" shows its arguments", on: .invalidParams)
    }
  }
}

extension Failure {
  /// Returns the failure, with the name that was not found if it is this error of the daemon.
  func naming(_ name: String, on error: RPCError) -> Failure {
    guard case .refused(var refusal) = self, refusal.isOne(of: error) else { return self }
    refusal.named = "\(name)"
    return .refused(refusal)
  }

  /// Returns the failure, with this hint if it is this error of the daemon and has no such hint yet.
  func withHint(_ advice: SafeText, on error: RPCError) -> Failure {
    guard case .refused(var refusal) = self, refusal.isOne(of: error), refusal.advice == nil else {
      return self
    }
    refusal.advice = advice
    return .refused(refusal)
  }
}
