internal import ControlClient

/// A picture that was read whole, and the format that its first bytes show.
struct Picture {
  enum Format: String {
    case gif, jpeg, png, webp
  }

  let bytes: [UInt8]
  let format: Format

  private static let mebibytes = 16

  /// Reads a file, `-` for standard input.
  init(_ path: String) throws(Failure) {
    bytes = try InputFile(path, atMost: Self.mebibytes).bytes
    guard let format = Self.format(of: bytes) else {
      throw .local(
        .usage,
        "\(path) is no picture that can be read",
        hint: "it has to be in PNG, JPEG, GIF or WebP"
      )
    }
    self.format = format
  }

  private static func format(of bytes: [UInt8]) -> Format? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
    if bytes.starts(with: "GIF8".utf8) { return .gif }
    return bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8) ? .webp : nil
  }
}
