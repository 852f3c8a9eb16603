internal import ControlAPI
internal import JSON
internal import OATHExports
internal import Text

extension CallbackForm {
  /// Data for programs, which may request an operation that only a browser or a phone supports.
  static func metadata(_ callback: Callback) -> CallbackForm {
    var field = callback.notice(nil)
    field.collector.raw = callback.shortenedRaw
    if callback.output("data").map({ !MetadataOutcome.texts(of: $0).isEmpty }) == true {
      field.collector.message = Callback.notHere
    }
    return CallbackForm(fields: [field])
  }
}

/// The answers to metadata that request an operation.
///
/// Each text goes to the hidden value with this identifier.
enum MetadataOutcome {
  /// Returns the texts for a step with these data.
  ///
  /// Scripts also request a browser's key, without metadata.
  static func all(of metadata: [JSON]) -> [String: String] {
    metadata.reduce(into: ["webAuthnOutcome": "unsupported"]) { all, data in
      all.merge(texts(of: data)) { $1 }
    }
  }

  /// Returns the texts for one callback's data; none if the data request nothing.
  static func texts(of data: JSON) -> [String: String] {
    let action = data["_action"]?.string ?? ""
    if data["_type"] == "PingOneProtect" {
      let error = ["clientError": "Unsupported"]
      return action == "protect_risk_evaluation"
        ? error.merging(["pingone_risk_evaluation_signals": ""]) { $1 } : error
    }
    let isWebAuthn =
      data["_type"] == "WebAuthn" || action.hasPrefix("webauthn_") || data["pubKeyCredParams"] != nil
      || data["allowCredentials"] != nil || data["_pubKeyCredParams"] != nil
      || data["_allowCredentials"] != nil
    return isWebAuthn ? ["webAuthnOutcome": "unsupported"] : [:]
  }
}

extension CallbackForm {
  private static let deviceRegistration = "mfaDeviceRegistration"

  /// Shows a hidden value and returns it unchanged, unless another callback of the step has its outcome here.
  ///
  /// Users must see it, because under the identifier `mfaDeviceRegistration` it can enrol this machine. The
  /// step then offers the enrolment.
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
