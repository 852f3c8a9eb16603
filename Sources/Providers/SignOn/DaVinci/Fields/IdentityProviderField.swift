internal import ControlAPI
internal import JSON
internal import WebAddress

/// SOCIAL_LOGIN_BUTTON: signs on with another provider, in a browser.
struct IdentityProviderField: FormField {
  let description: FieldDescription

  init(_ description: FieldDescription) { self.description = description }

  var collector: Collector? {
    var collector = Collector(key: description.key, type: "IdpCollector", label: description.label)
    collector.value = address.map { .string($0) }
    collector.raw = description.raw
    return collector
  }

  var actions: [FieldAction] {
    guard let address else { return [] }
    return [
      FieldAction(description.key, description.name, .flow) { flow, input in
        try flow.show(address, input)
      }
    ]
  }

  /// Where the browser begins; `nil` if it cannot be sent there, or the provider is switched off.
  var address: String? {
    let json = description.json
    guard json["idpEnabled"] != false,
      let text = (json["links"]?["authenticate"]?["href"] ?? json["url"])?.string, let url = WebURL(text),
      url.origin.scheme == .https || (url.origin.isLoopback && description.allowsLoopbackHTTP)
    else { return nil }
    return url.text
  }
}
