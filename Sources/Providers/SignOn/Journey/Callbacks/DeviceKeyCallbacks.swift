internal import ControlAPI
internal import JSON

// Callbacks for a key of this machine: a new one, or a signature with a bound one.

extension CallbackForm {
  /// Binds a new key to the user.
  static func deviceBinding(_ callback: Callback) -> CallbackForm {
    let wantsPresence: Bool
    switch callback.output("authenticationType") {
    case "NONE": wantsPresence = false
    // The fallback for biometrics is the PIN.
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
    // A server that requests attestation rejects a key without it, although it has another option for clients
    // that report this.
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

  /// Requests a signature with a bound key: of the user that the server names or, without a name, of any
  /// user.
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

  /// Returns the server's own texts, which are shown before those of mfad.
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

  /// Reports the reason to the server, which continues with its journey's option for this case.
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
