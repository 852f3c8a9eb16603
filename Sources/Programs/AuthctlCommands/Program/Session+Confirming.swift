internal import ControlClient
internal import Usage

extension Session {
  /// Goes on only after a yes, given on the terminal or beforehand; where nobody can be asked, to have named the very thing
  /// by its id is one.
  func confirm(_ question: SafeText, isNamed: Bool = false, orElse refusal: SafeText) throws(Failure) {
    guard !arguments.has("--yes") else { return }
    if let terminal {
      guard try terminal.confirm(question) else { throw .local(.cancelled, refusal) }
    } else if !isNamed {
      throw misused("without a terminal nobody can be asked: say --yes")
    }
  }
}
