internal import JSON

extension Prompt {
  /// A security key, which this program cannot use.
  static let securityKey = Prompt(
    notices: { field in
      [.text("\(field.label): a security key can be used in a browser only (\"authctl login --browser\")")]
    }
  )
}
