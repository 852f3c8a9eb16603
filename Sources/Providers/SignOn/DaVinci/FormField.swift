internal import ControlAPI
internal import EventLoop
internal import JSON

/// One field of a page: what a person sees of it.
protocol FormField: Sendable {
  /// What the server says of it.
  var description: FieldDescription { get }

  init(_ description: FieldDescription)

  /// Whether it is of no use without a key of its own.
  static var needsKey: Bool { get }
  /// What is shown; `nil` if there is nothing to see beside its actions.
  var collector: Collector? { get }
  /// The ways to go on that it offers.
  var actions: [FieldAction] { get }
}

extension FormField {
  static var needsKey: Bool { true }
  var actions: [FieldAction] { [] }
}

/// A field that a person fills in.
protocol AnswerField: FormField {
  /// The answer that stands unless there is another, in the form in which one is given.
  var standing: JSON? { get }
  /// The key that goes with its answer when no button is pressed.
  var actionKey: String? { get }

  /// What is sent for an answer; `nil` if it is empty.
  func value(of answer: JSON) throws(WrongAnswer) -> JSON?
  /// What is wrong with such a value where one is needed.
  func complaint(_ value: JSON?) -> WrongAnswer?
}

extension AnswerField {
  var standing: JSON? { description.initial }
  var actionKey: String? { nil }
  func complaint(_ value: JSON?) -> WrongAnswer? { value == nil ? .missing : nil }
}

/// What is wrong with an answer, in words for a person.
struct WrongAnswer: Error, Equatable {
  let message: String

  init(_ message: String) { self.message = message }

  static let missing = WrongAnswer("this is needed")
  static let notText = WrongAnswer("this has to be text")
  static let noOption = WrongAnswer("this is none of the answers to choose from")
}

/// A way to go on that a field offers, and what it does.
struct FieldAction: Sendable {
  typealias Run = @EventLoop @Sendable (DaVinciFlow, Answers) async throws -> Step

  /// How a person sees it.
  let action: SignOnPage.Action
  let run: Run

  init(_ key: String, _ label: String, _ kind: SignOnPage.Action.Kind, run: @escaping Run) {
    action = SignOnPage.Action(key: key, label: label, kind: kind)
    self.run = run
  }
}
