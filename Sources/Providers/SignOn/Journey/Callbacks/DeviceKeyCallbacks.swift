internal import ControlAPI
internal import JSON

// Callbacks that request a new key of this machine, or a signature with a bound key.

extension CallbackForm {
  /// Asks the user to bind a new key of this machine, or refuses a request that this machine cannot meet.
  static func deviceBinding(_ callback: Callback) -> CallbackForm {
    let wantsPresence: Bool
    switch callback.output("authenticationType") {
    case "NONE": wantsPresence = false
    // `BIOMETRIC_ALLOW_FALLBACK` permits a PIN in place of biometrics.
    case "APPLICATION_PIN", "BIOMETRIC_ALLOW_FALLBACK":
      guard callback.context.verifiesPresence else {
        return refusal(
          callback,
          "the key must be protected by a fingerprint, a face or a PIN, and you have no PIN yet"
        )
      }
      wantsPresence = true
    default:
      return refusal(
        callback,
        "the key must be protected by a fingerprint or a face, which this machine does not support"
      )
    }
    // A server that requests attestation rejects a key without it. If mfad refuses in advance, the journey
    // can continue in another way.
    guard callback.output("attestation") != true else {
      return refusal(
        callback,
        "the server requires an attestation of the key, which this machine cannot provide"
      )
    }
    guard var request = KeyRequest(.bind, callback), let user = callback.output("userId")?.string,
      (1...KeyRequest.longestText).contains(user.utf8.count),
      let name = callback.output("username")?.string.flatMap(QuotedText.name) ?? QuotedText.name(user)
    else { return refusal(callback, notShown) }
    (request.user, request.userName, request.wantsPresence) = (user, name, wantsPresence)
    return form(callback, request)
  }

  /// Asks the user to sign with a bound key of the user that the server names.
  ///
  /// If the server names no user, a key of any user may sign.
  static func deviceSigning(_ callback: Callback) -> CallbackForm {
    guard var request = KeyRequest(.sign, callback) else { return refusal(callback, notShown) }
    let user = callback.output("userId")?.string ?? ""
    request.keys = callback.context.keys.filter { user.isEmpty || $0.user.hasSameBytes(as: user) }
    guard !request.keys.isEmpty else {
      let reason = "no key of this machine is bound \(user.isEmpty ? "at this server" : "for this user")"
      return refusal(callback, reason, as: "ClientNotRegistered")
    }
    return form(callback, request)
  }

  private static let notShown = "the text to sign is missing, or cannot be shown unchanged"

  private static func form(_ callback: Callback, _ request: KeyRequest) -> CallbackForm {
    var fields = words(callback)
    fields.append(callback.notice(nil, .string(request.sentence(at: callback.context.server))))
    return CallbackForm(fields: fields, keyRequest: request)
  }

  /// Returns the server's own texts, which are shown before mfad's text.
  private static func words(_ callback: Callback) -> [Field] {
    let texts = ["title", "subtitle", "description"].compactMap { name in
      callback.output(name)?.string.flatMap { QuotedText.line($0) }
    }
    var field = callback.notice(nil)
    if !texts.isEmpty {
      field.collector.label = "\(callback.context.server) says:"
      field.collector.value = .string(QuotedText.quoted(texts.joined(separator: "\n")))
    }
    field.collector.raw = callback.raw
    return [field]
  }

  /// Shows the reason to the user and reports the error to the server; the journey decides how to continue.
  private static func refusal(_ callback: Callback, _ reason: String, as error: String = "Unsupported")
    -> CallbackForm
  {
    var form = CallbackForm(fields: words(callback))
    form.fields[0].collector.message = reason
    form.fields[0].collector.raw = callback.shortenedRaw
    if let place = callback.input(endingWith: "clientError") { form.prefilled = [place: .string(error)] }
    return form
  }
}
