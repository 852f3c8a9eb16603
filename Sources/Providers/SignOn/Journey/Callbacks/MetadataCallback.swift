internal import ControlAPI
internal import JSON
internal import OATHExports
internal import Text

extension CallbackForm {
  /// Passes metadata on to the client, with a message if they request a phone or browser operation.
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
/// Each key is the identifier of the hidden-value callback in which the text is sent.
enum MetadataOutcome {
  /// Returns the texts for a step with these metadata.
  ///
  /// It always has an answer for WebAuthn, because scripts can request WebAuthn without metadata.
  static func all(of metadata: [JSON]) -> [String: String] {
    metadata.reduce(into: ["webAuthnOutcome": "unsupported"]) { all, data in
      all.merge(texts(of: data)) { $1 }
    }
  }

  /// Returns the texts for one callback's data; none if the data request no known operation.
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

  /// Shows a hidden value; by default returns it unchanged or with the outcome of a metadata callback.
  ///
  /// With the identifier `mfaDeviceRegistration`, the value can be a URI that enrols this machine. The step
  /// then offers the enrolment, so users must see the value.
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
