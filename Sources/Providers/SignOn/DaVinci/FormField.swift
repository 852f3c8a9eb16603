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
protocol InputField: FormField {
  /// The input that stands unless there is another, in the form in which one is given.
  var standing: JSON? { get }
  /// The key that goes with its input when no button is pressed.
  var actionKey: String? { get }

  /// What is sent for an input; `nil` if it is empty.
  func value(of input: JSON) throws(InvalidInput) -> JSON?
  /// What is wrong with such a value where one is needed.
  func complaint(_ value: JSON?) -> InvalidInput?
}

extension InputField {
  var standing: JSON? { description.initial }
  var actionKey: String? { nil }
  func complaint(_ value: JSON?) -> InvalidInput? { value == nil ? .missing : nil }
}

/// What is wrong with an input, in words for a person.
struct InvalidInput: Error, Equatable {
  let message: String

  init(_ message: String) { self.message = message }

  static let missing = InvalidInput("this is needed")
  static let notText = InvalidInput("this has to be text")
  static let noOption = InvalidInput("this is not one of the options")
}

/// A way to go on that a field offers, and what it does.
struct FieldAction: Sendable {
  typealias Run = @EventLoop @Sendable (DaVinciFlow, StepInput) async throws -> Step

  /// How a person sees it.
  let action: SignOnPage.Action
  let run: Run

  init(_ key: String, _ label: String, _ kind: SignOnPage.Action.Kind, run: @escaping Run) {
    action = SignOnPage.Action(key: key, label: label, kind: kind)
    self.run = run
  }
}
