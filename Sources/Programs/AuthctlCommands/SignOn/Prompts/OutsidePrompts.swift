internal import ControlClient
internal import ControlAPI
internal import JSON

extension Prompt {
  /// Something outside decides: a telephone, a browser, another machine.
  static let waiting = Prompt(
    notices: { Notice.lines($0.shownLines) },
    waits: true
  )

  /// The server waits for a link that it sent by e-mail.
  static let suspended = Prompt(
    notices: { Notice.lines($0.shownLines) },
    wantsAddress: true
  )

  static let page = Prompt(
    page: { field in field.collector.value?.string.flatMap { $0.isAddress ? $0 : nil } }
  )

  /// A security key, which this program cannot use.
  static let securityKey = Prompt(
    notices: { field in
      [.text("\(field.label): a security key can be used in a browser only (\"authctl login --browser\")")]
    }
  )
}
