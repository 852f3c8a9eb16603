internal import CQREncode

/// A QR code as a matrix of dark and light modules.
public struct QRCode: Sendable {
  /// Number of modules per side, without the quiet zone.
  public let width: Int
  private let dark: [Bool]

  /// Required width of the light border in modules, ISO/IEC 18004.
  public static let quietZone = 4

  /// Creates the smallest code for a text in UTF-8; `nil` if the text is empty or too long.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    // A code on a screen is not dirty or damaged, so the lowest error correction is enough, and the code is
    // small.
    guard !bytes.isEmpty, let count = Int32(exactly: bytes.count),
      let code = QRcode_encodeData(count, bytes, 0, QR_ECLEVEL_L)
    else { return nil }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    guard let data = code.pointee.data else { return nil }
    dark = (0..<width * width).map { data[$0] & 1 == 1 }
  }

  /// True if a module is dark; modules outside the code are light.
  public func isDark(row: Int, column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return dark[row * width + column]
  }
}
