internal import ControlAPI
internal import ControlClient
internal import JSON
internal import Text

extension Prompt {
  /// A code for a camera: what it holds is drawn if it is an address, and is shown in any case.
  static let qrCode = Prompt(
    notices: { field in
      let label: [SafeText] = field.collector.label == nil ? [] : [field.label]
      guard let text = field.value?.string else {
        return Notice.lines(label + ["(a QR code that has no text: it can be seen in a browser only)"])
      }
      return Notice.lines(label) + [text.isAddress ? .address(text) : .text("  \(text)")]
    }
  )

  /// A value that passes through; the address of a new authenticator is shown for a camera.
  static let hiddenValue = Prompt(
    notices: { field in
      guard let text = field.collector.value?.string,
        ["otpauth://", "pushauth://", "mfauth://"].contains(where: { text.hasPrefix($0) })
      else { return [] }
      return [.text("an authenticator can be registered with this code:"), .address(text)]
    }
  )
}

extension String {
  /// Whether it begins as an absolute address does.
  var isAddress: Bool {
    guard let colon = firstIndex(of: ":"), utf8.first?.isASCIILetter == true else { return false }
    let isScheme = self[..<colon].utf8.allSatisfy { byte in
      byte.isASCIILetterOrDigit || [0x2B, 0x2D, 0x2E].contains(byte)
    }
    return isScheme && index(after: colon) != endIndex && !contains(" ")
  }
}
