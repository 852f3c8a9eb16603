internal import CQREncode

/// A QR code: which of its modules are dark.
public struct QRCode: Sendable {
  /// How many modules it has on each side, without the quiet zone.
  public let width: Int
  private let dark: [Bool]

  /// How many light modules have to be around it, ISO/IEC 18004.
  public static let quietZone = 4

  /// The smallest code that holds a text in UTF-8; `nil` if there is no text or none is large enough.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    // Screens are clean: the lowest level of correction keeps the code small.
    guard !bytes.isEmpty, let count = Int32(exactly: bytes.count),
      let code = QRcode_encodeData(count, bytes, 0, QR_ECLEVEL_L)
    else { return nil }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    guard let data = code.pointee.data else { return nil }
    dark = (0..<width * width).map { data[$0] & 1 == 1 }
  }

  /// Whether a module is dark; around the code all are light.
  public func isDark(row: Int, column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return dark[row * width + column]
  }
}
