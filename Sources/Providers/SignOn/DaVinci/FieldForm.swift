internal import ControlAPI
internal import EventLoop
internal import JSON

/// The form of a field: the way to show it and to convert the user's input.
struct FieldForm: Sendable {
  /// The conversion of a user's input to the value that is sent.
  struct Input: Sendable {
    /// Returns the value to send for an input; `nil` if it is empty.
    typealias Value = @Sendable (JSON) throws(InvalidInput) -> JSON?

    /// The default input, in the same form as the user's input.
    let standing: JSON?
    /// The action key that is sent with the input if the user pressed no button.
    var actionKey: String?
    /// True if a required input must be `true`.
    var isConsent = false
    /// The error for missing required input.
    var missing = InvalidInput.missing
    let value: Value

    /// Returns the error if a required value is missing.
    func complaint(_ value: JSON?) -> InvalidInput? {
      let isGiven = isConsent ? value == true : value != nil
      return isGiven ? nil : missing
    }
  }

  let field: DaVinciField
  /// The part of the page that is shown; `nil` if the field shows only its actions.
  let collector: Collector?
  /// The actions of the field.
  var actions: [FieldAction] = []
  /// The conversion of its input; `nil` for a field that takes none.
  var input: Input?
  /// The polling that the field starts for its page.
  var polling: DaVinciPolling?
  /// The URL at which a browser signs on with another provider.
  var provider: String?
  /// True for a security key that a browser uses without a user action.
  var isAutomaticKey = false
  /// True if one of its actions pairs this machine.
  var isPairing = false
  /// True if the field cannot be used without a key from the server.
  var needsKey = true

  init(_ field: DaVinciField, _ collector: Collector?) { (self.field, self.collector) = (field, collector) }

  init(_ field: DaVinciField, _ collector: Collector, _ input: Input) {
    self.init(field, collector)
    self.input = input
  }

  /// A field that is only shown.
  static func shown(_ field: DaVinciField, _ collector: Collector?) -> FieldForm {
    var form = FieldForm(field, collector)
    form.needsKey = false
    return form
  }
}

/// An error in an input, with a message for the user.
struct InvalidInput: Error, Equatable {
  let message: String

  init(_ message: String) { self.message = message }

  static let missing = InvalidInput("this is needed")
  static let notText = InvalidInput("this has to be text")
  static let noOption = InvalidInput("this is not one of the options")
}

/// An action of a field and its implementation.
struct FieldAction: Sendable {
  typealias Run = @EventLoop @Sendable (DaVinciFlow, StepInput) async throws -> Step

  /// The action as shown to users.
  let action: SignOnPage.Action
  let run: Run

  init(_ key: String, _ label: String, _ kind: SignOnPage.Action.Kind, run: @escaping Run) {
    action = SignOnPage.Action(key: key, label: label, kind: kind)
    self.run = run
  }
}
