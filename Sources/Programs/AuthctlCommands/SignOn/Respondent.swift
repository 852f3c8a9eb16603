/// Who answers the steps of a sign-on.
protocol Respondent: AnyObject {
  /// Answers a step; again, when the last answer to it was refused.
  func reply(to node: Node, again: Bool) throws(Failure) -> Reply

  /// Shows a step that waits for something outside.
  func watch(_ node: Node) throws(Failure)

  /// What tells that `meanwhile` has something to read; -1 for nothing.
  var descriptor: Int32 { get }

  /// What was said while a step waits; `nil` for nothing that answers it.
  func meanwhile(_ node: Node, elapsed: Duration) throws(Failure) -> Reply?

  /// Shows that the wait goes on, if anybody wants to see that.
  func tick(elapsed: Duration)

  /// Takes away what `tick` showed.
  func rest()
}
