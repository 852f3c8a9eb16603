internal import ControlAPI
internal import ControlClient
internal import JSON
internal import Text

extension Prompt {
  static let shown = Prompt(notices: { Notice.lines($0.shownText) })

  /// A text with a title.
  static let agreement = Prompt(
    notices: { field in
      let texts = [field.collector.label, field.collector.value?.string].compactMap { $0 }
      return Notice.lines(texts.flatMap { Markup.lines($0) })
    }
  )

  /// A text to which the user agrees by choosing an action.
  ///
  /// It is shown without markup conversion, because it may be signed.
  static let agreed = Prompt(
    notices: { field in
      let texts = [field.collector.label, field.collector.value?.string].compactMap { $0 }
      return Notice.lines(texts.flatMap { $0.split(separator: "\n").map { "\($0)" as SafeText } })
    }
  )

  /// Shows and asks nothing; the daemon answers the field.
  static let silent = Prompt()

  /// The description and the address of a picture.
  static let image = Prompt(
    notices: { field in
      let description = [field.raw("description")?.string, field.collector.label].compactMap { $0 }.first {
        !$0.isEmpty
      }
      let address = [field.raw("imageUrl"), field.value].compactMap { $0?.string }.first { !$0.isEmpty }
      let link = field.raw("hyperlinkUrl")?.string.map { ", links to \($0)" as SafeText } ?? ""
      // A data URL has no address to open.
      let place = address.flatMap { $0.hasPrefix("data:") ? nil : ", at \($0)" as SafeText } ?? ""
      guard description != nil || address != nil else { return [] }
      return [
        .text("[picture\(description.map { ": \(Markup.line($0))" as SafeText } ?? "")\(place)\(link)]")
      ]
    }
  )
}

extension FormField {
  /// The text of a field that only shows something: its label, its value or both.
  fileprivate var shownText: [SafeText] {
    let label = collector.label.flatMap { $0.isEmpty ? nil : $0 }
    let text = collector.value?.string
    switch (label, value) {
    case (nil, nil): return Markup.lines(raw("content")?.string ?? "")
    case (let label?, nil): return Markup.lines(label)
    case (let label?, .some) where text.map({ Markup.line($0) }) == Markup.line(label):
      return Markup.lines(label)
    case (nil, let value?): return text.map { Markup.lines($0) } ?? [SafeText(value)]
    case (.some, let value?): return ["\(self.label): \(text.map { Markup.line($0) } ?? SafeText(value))"]
    }
  }
}

extension Prompt {
  /// A QR code: its text is shown and, if it is an address, drawn.
  static let qrCode = Prompt(
    notices: { field in
      let label: [SafeText] = field.collector.label == nil ? [] : [field.label]
      guard let text = field.value?.string else {
        return Notice.lines(label + ["(a QR code without text: only a browser can show it)"])
      }
      return Notice.lines(label) + [text.isAddress ? .address(text) : .text("  \(text)")]
    }
  )

  /// A value that is not shown, except for values that users need on another device.
  ///
  /// These are the number of a push and the address of a new authenticator, which is drawn as a QR code.
  static let hiddenValue = Prompt(
    notices: { field in
      if field.collector.label == "pushChallengeNumber", let number = field.value {
        let shown = number.string.map { Markup.line($0) } ?? SafeText(number)
        return [.text("the number to select on the other device: \(shown)")]
      }
      guard let text = field.collector.value?.string,
        ["otpauth://", "pushauth://", "mfauth://"].contains(where: { text.hasPrefix($0) })
      else { return [] }
      return [.text("an authenticator can be registered with this code:"), .address(text)]
    }
  )
}

extension String {
  /// True if the text is an absolute address: a scheme, a colon and no spaces.
  var isAddress: Bool {
    guard let colon = firstIndex(of: ":"), utf8.first?.isASCIILetter == true else { return false }
    let isScheme = self[..<colon].utf8.allSatisfy { byte in
      byte.isASCIILetterOrDigit || [0x2B, 0x2D, 0x2E].contains(byte)
    }
    return isScheme && index(after: colon) != endIndex && !contains(" ")
  }
}

extension Prompt {
  /// A wait for a phone, a browser or another machine.
  static let waiting = Prompt(
    notices: { Notice.lines($0.shownLines) },
    waits: true
  )

  /// A wait for a link that the server sent by e-mail.
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
      [.text("\(field.label): a security key works only in a browser (\"authctl login --browser\")")]
    }
  )
}
