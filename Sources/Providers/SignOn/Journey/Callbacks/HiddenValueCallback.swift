internal import ControlAPI
internal import JSON
internal import OATHExports
internal import Text

extension CallbackForm {
  private static let deviceRegistration = "mfaDeviceRegistration"

  /// A value that passes through a client: what it is is shown, as it registers this machine under the id
  /// `mfaDeviceRegistration`, which the step then offers to do; it goes back as it is, unless another callback of the
  /// step has its outcome here.
  static func hiddenValue(_ callback: Callback) -> CallbackForm {
    let id = callback.output("id")?.string ?? ""
    var field = callback.question(id.isEmpty ? nil : Callback.line(id), form: .text)
    field.collector.value = callback.output("value").flatMap(\.nonEmptyText).map {
      .string(DisplayText.lines($0.string ?? ""))
    }
    field.standing = callback.context.outcomes[id].map { .string($0) }
    var form = CallbackForm(fields: [field])
    if id == deviceRegistration, let uri = callback.output("value")?.string, (try? KeyURI(uri)) != nil {
      form.enrolment = uri
    }
    return form
  }
}
