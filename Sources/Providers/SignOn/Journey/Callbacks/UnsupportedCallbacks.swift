internal import ControlAPI
internal import JSON

// Callbacks for what only a telephone or a browser can do.

extension Callback {
  /// What is said of something that this machine cannot do.
  static let notHere = "this machine cannot do this"
}

extension CallbackForm {
  /// The server is told that it cannot be done, and takes the way that its journey has for that.
  static func unsupported(_ callback: Callback) -> CallbackForm {
    var field = callback.notice(nil)
    field.collector.message = Callback.notHere
    field.collector.raw = callback.shortenedRaw
    let place = callback.input(endingWith: "clientError")
    return CallbackForm(fields: [field], prefilled: place.map { [$0: "Unsupported"] } ?? [:])
  }

  /// A token of another provider can only be had by an application that the provider knows.
  static func identityProvider(_ callback: Callback) throws(SignOnFailure) -> CallbackForm {
    let provider = callback.text("provider") ?? "another provider"
    throw .unsupported("this journey signs on with \(provider), which needs a browser")
  }

  /// A type that is not known: everything that came is shown, and every input can be answered.
  static func unknown(_ callback: Callback) throws(SignOnFailure) -> CallbackForm {
    guard callback.inputs.count <= SignOnPage.maximumFields else { throw .tooLarge }
    let prompt = callback.text("prompt")
    var fields = callback.inputs.indices.map { place -> Field in
      var field = callback.field(prompt, input: place)
      let value = callback.inputs[place].value
      if !value.isNull, value != "" { field.collector.value = value }
      return field
    }
    if fields.isEmpty { fields = [callback.notice(prompt)] }
    fields[0].collector.raw = callback.shortenedRaw
    return CallbackForm(fields: fields)
  }
}
