internal import ControlAPI
internal import JSON

extension CallbackForm {
  /// The machine describes itself; what it tells is shown, and where it is it never tells.
  static func deviceProfile(_ callback: Callback) -> CallbackForm {
    let profile = callback.context.device.json(withMetadata: callback.output("metadata") == true)
    var field = callback.question(callback.text("message") ?? "What is told of this machine", form: .document)
    field.collector.value = profile
    field.standing = InputForm.document.wire(profile)
    return CallbackForm(fields: [field])
  }
}
