internal import ControlAPI
internal import JSON

// Callbacks for an attribute of a user or of a new account; the server checks it by policies.

extension CallbackForm {
  static func stringAttribute(_ callback: Callback) -> CallbackForm {
    var field = checked(callback, form: .text)
    field.standing = callback.given ?? callback.output("value").flatMap(\.nonEmptyText)
    field.collector.value = field.standing
    return CallbackForm(fields: [field])
  }

  static func numberAttribute(_ callback: Callback) -> CallbackForm {
    var field = checked(callback, form: .number)
    field.standing =
      [callback.inputs.first?.value, callback.output("value")].lazy
      .compactMap { $0.flatMap(InputForm.number.wire) }.first
    field.collector.value = field.standing
    return CallbackForm(fields: [field])
  }

  /// The field is not marked as required, because `false` is also a value.
  static func booleanAttribute(_ callback: Callback) -> CallbackForm {
    var field = checked(callback, form: .truth)
    field.collector.isRequired = false
    field.standing =
      [callback.inputs.first?.value, callback.output("value")].lazy
      .compactMap { $0.flatMap(InputForm.truth.wire) }.first
    field.collector.value = field.standing ?? false
    return CallbackForm(fields: [field])
  }

  static func newUserName(_ callback: Callback) -> CallbackForm {
    var field = checked(callback, form: .text)
    field.collector.value = callback.given
    return CallbackForm(fields: [field])
  }

  static func newPassword(_ callback: Callback) -> CallbackForm {
    var field = checked(callback, form: .text)
    field.collector.isSecret = callback.output("echoOn") != true
    return CallbackForm(fields: [field])
  }

  /// Creates a field with the server's rules for its value and the errors of the last answer.
  private static func checked(_ callback: Callback, form: InputForm) -> Field {
    var field = callback.question(callback.text("prompt") ?? callback.text("name"), form: form)
    let rules = PolicyRule.rules(of: callback.output("policies"))
    field.collector.isRequired =
      field.input != nil && (callback.output("required") == true || rules.contains { $0.name == "REQUIRED" })
    field.collector.validation = PolicyRule.validation(rules)
    field.collector.message = PolicyRule.message(of: PolicyRule.failures(callback.output("failedPolicies")))
    field.collector.raw = callback.raw
    return field
  }
}
