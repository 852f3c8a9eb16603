/// An enrolment URI as a server writes it, with optional changes.
enum Sample {
  private static let parameters: KeyValuePairs = [
    "l": "YW1sYmNvb2tpZT0wMQ", "issuer": "QWNtZQ",
    "m": "REGISTER:6f1d3b1e-5b1b-4f0c-8a53-0d0c9a0d7e111763712000000",
    "s": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "c": "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8",
    "r": "aHR0cHM6Ly9hbS5leGFtcGxlL2FtL2pzb24vYWxwaGEvcHVzaC9zbnMvbWVzc2FnZT9fYWN0aW9uPXJlZ2lzdGVy",
    "a": "aHR0cHM6Ly9hbS5leGFtcGxlL2FtL2pzb24vYWxwaGEvcHVzaC9zbnMvbWVzc2FnZT9fYWN0aW9uPWF1dGhlbnRpY2F0ZQ",
    "uid": "Ym9i", "b": "032b75", "image": "",
  ]

  static func uri(
    _ changes: [String: String] = [:],
    without absent: Set<String> = [],
    label: String = "Acme:bob",
    scheme: String = "pushauth://push"
  ) -> String {
    let names = parameters.map(\.key)
    let kept = parameters.map { ($0.key, changes[$0.key] ?? $0.value) }.filter { !absent.contains($0.0) }
    let added = changes.filter { !names.contains($0.key) }.map { ($0.key, $0.value) }
    return "\(scheme)/\(label)?" + (kept + added).map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }
}
