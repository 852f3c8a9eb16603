internal import ControlClient

/// Who answers the steps of a sign-on.
protocol Respondent: AnyObject {
  /// Answers a step; again, when the last answer to it was refused.
  func input(for step: Step, again: Bool) throws(Failure) -> StepInput

  /// Shows a step that waits for something outside.
  func watch(_ step: Step) throws(Failure)

  /// What tells that `meanwhile` has something to read; -1 for nothing.
  var descriptor: Int32 { get }

  /// What was said while a step waits; `nil` for nothing that answers it.
  func meanwhile(_ step: Step, elapsed: Duration) throws(Failure) -> StepInput?

  /// Shows that the wait goes on, if anybody wants to see that.
  func tick(elapsed: Duration)

  /// Takes away what `tick` showed.
  func rest()
}
