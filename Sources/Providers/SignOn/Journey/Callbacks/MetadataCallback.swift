internal import ControlAPI
internal import JSON
internal import OATHExports
internal import Text

extension CallbackForm {
  /// Data for programs, which may ask for what only a browser or a telephone can do.
  static func metadata(_ callback: Callback) -> CallbackForm {
    var field = callback.notice(nil)
    field.collector.raw = callback.shortenedRaw
    if callback.output("data").map({ !MetadataOutcome.texts(of: $0).isEmpty }) == true {
      field.collector.message = Callback.notHere
    }
    return CallbackForm(fields: [field])
  }
}

/// What is answered to metadata that ask for something: the text goes to the hidden value of that id.
enum MetadataOutcome {
  /// The texts for a step with these data.
  ///
  /// A browser's key is asked for by scripts too, with no data beside them.
  static func all(of metadata: [JSON]) -> [String: String] {
    metadata.reduce(into: ["webAuthnOutcome": "unsupported"]) { all, data in
      all.merge(texts(of: data)) { $1 }
    }
  }

  /// The texts for one callback's data; none for data that ask for nothing.
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
