internal import JSON

extension Prompt {
  /// Something outside decides: a telephone, a browser, another machine.
  static let waiting = Prompt(
    notices: { Notice.lines($0.text.map { Markup.lines($0) } ?? []) },
    waits: true
  )

  /// The server waits for a link that it sent by e-mail.
  static let suspended = Prompt(
    notices: { Notice.lines($0.text.map { Markup.lines($0) } ?? []) },
    wantsAddress: true
  )

  static let page = Prompt(
    page: { field in field.json["value"]?.string.flatMap { $0.isAddress ? $0 : nil } }
  )
}
