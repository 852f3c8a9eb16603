internal import ControlAPI
internal import ControlClient
internal import Patterns

extension FormField {
  /// The fields whose pattern the daemon checks before it sends anything; of others the server has the word.
  private static let checked: Set = ["PasswordCollector", "TextCollector"]

  /// What is wrong with the form of an answer, told before the next question is asked; the daemon checks it again.
  func complaint(about text: String) -> SafeText? {
    let pattern = collector.validation?.pattern.flatMap { Pattern($0) }
    var steps = Pattern.stepsOfPage
    guard Self.checked.contains(type), pattern?.isFound(in: text, steps: &steps) == false else { return nil }
    return collector.validation?.message.map { Markup.line($0) } ?? "that has not the form that is asked for"
  }
}
