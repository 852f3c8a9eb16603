internal import ControlAPI
internal import JSON

// Callbacks that want a key of this machine: a new one, or a signature by one that was bound.

extension CallbackForm {
  /// A new key is to stand for the user from now on.
  static func deviceBinding(_ callback: Callback) -> CallbackForm {
    let wantsPresence: Bool
    switch callback.output("authenticationType") {
    case "NONE": wantsPresence = false
    // What is fallen back on where nobody's finger or face is recognized is the PIN.
    case "APPLICATION_PIN", "BIOMETRIC_ALLOW_FALLBACK":
      guard callback.context.verifiesPresence else {
        return refusal(
          callback,
          "the key would have to be protected by a fingerprint, a face or a PIN, and you have no PIN yet"
        )
      }
      wantsPresence = true
    default:
      return refusal(
        callback,
        "the key would have to be protected by a fingerprint or a face, which no key is here"
      )
    }
    // A server that wants certificates takes nothing without, though it would have another way for clients that say so.
    guard callback.output("attestation") != true else {
      return refusal(
        callback,
        "the server wants the maker of the machine to vouch for the key, which nobody does here"
      )
    }
    guard var request = KeyRequest(.bind, callback), let user = callback.output("userId")?.string,
      (1...KeyRequest.longestText).contains(user.utf8.count),
      let name = callback.output("username")?.string.flatMap(QuotedText.name) ?? QuotedText.name(user)
    else { return refusal(callback, notShown) }
    (request.user, request.userName, request.wantsPresence) = (user, name, wantsPresence)
    return form(callback, request)
  }

  /// Something is to be signed by a key that was bound: of the user that the server names, else of anybody's here.
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

  private static let notShown = "what is to be signed is missing, or cannot be shown as it is"

  private static func form(_ callback: Callback, _ request: KeyRequest) -> CallbackForm {
    var fields = words(callback)
    fields.append(callback.notice(nil, .string(request.sentence(at: callback.context.server))))
    return CallbackForm(fields: fields, keyRequest: request)
  }

  /// The server's own words, which come before those of this program.
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

  /// The server is told why not, and takes the way that its journey has for that.
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
