internal import ControlAPI
internal import EventLoop
internal import JSON

/// A field as a person sees and answers it.
struct FieldForm: Sendable {
  /// The conversion of a person's input to the value that is sent.
  struct Input: Sendable {
    /// Returns the value to send for an input; `nil` if it is empty.
    typealias Value = @Sendable (JSON) throws(InvalidInput) -> JSON?

    /// The input that stands unless there is another, in the form in which one is given.
    let standing: JSON?
    /// The key that goes with the input when no button is pressed.
    var actionKey: String?
    /// True if an input that is needed has to be a yes.
    var isConsent = false
    /// The error for an input that is needed and missing.
    var missing = InvalidInput.missing
    let value: Value

    /// Returns the error of such a value where one is needed.
    func complaint(_ value: JSON?) -> InvalidInput? {
      let isGiven = isConsent ? value == true : value != nil
      return isGiven ? nil : missing
    }
  }

  let field: DaVinciField
  /// The part of the page that is shown; `nil` if there is nothing to see beside its actions.
  let collector: Collector?
  /// The ways to go on that it offers.
  var actions: [FieldAction] = []
  /// The conversion of its input; `nil` for a field that is only shown or chosen.
  var input: Input?
  /// The wait that it makes its page begin.
  var polling: DaVinciPolling?
  /// The URL at which a browser signs on with another provider.
  var provider: String?
  /// True for a security key that a browser uses before a person asks for it.
  var isAutomaticKey = false
  /// True if its actions concern pairing.
  var isPairing = false
  /// True if it is of no use without a key of its own.
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
