internal import JSON

/// What another authenticator has handed over, as one file or text.
public struct Export: Sendable {
  public enum Contents: Sendable {
    case plain([ExportedEntry])
    /// Only a password opens it.
    case encrypted(EncryptedExport)
  }

  public let format: ExportFormat
  public let contents: Contents

  /// Fits a line of the control interface, encoded in Base64.
  public static let maximumBytes = 180 * 1024
  static let maximumEntries = 1000

  /// Reads data in a format; without one by what the data shows, if that is only one.
  public init(
    _ data: [UInt8],
    as format: ExportFormat? = nil,
    maximumBytes: Int = maximumBytes
  ) throws(ExportError) {
    guard data.count <= maximumBytes else { throw .tooLong(maximum: maximumBytes) }
    let data = try ExportData(data)
    let decoders = ExportDecoder.all.filter { decoder in
      format.map { $0 == decoder.format } ?? decoder.recognizes(data)
    }
    guard let decoder = decoders.first, decoders.count == 1 else { throw .unknownFormat }
    self.format = decoder.format
    contents = try decoder.decode(data)
  }
}

/// The formats by the names of the control interface.
public enum ExportFormat: String, Sendable, CaseIterable {
  /// A line for each `otpauth:` URI.
  case uris
  /// A line for each `otpauth-migration:` URI, which Google Authenticator shows as QR codes.
  case migration
  case aegis
  case andOTP = "andotp"
  case bitwarden
  /// FreeOTP+, whose predecessor exports nothing of use.
  case freeOTP = "freeotp"
  case twoFAS = "2fas"
  /// What ForgeRock's and Ping's authenticators keep for PingAM.
  case am
}

/// How one format is told from the others and read.
struct ExportDecoder: Sendable {
  let format: ExportFormat
  /// Whether the data shows marks that only this format has.
  let recognizes: @Sendable (ExportData) -> Bool
  let decode: @Sendable (ExportData) throws(ExportError) -> Export.Contents

  static let all: [ExportDecoder] = [
    .uris, .migration, .aegis, .andOTP, .bitwarden, .freeOTP, .twoFAS, .am,
  ]
}

/// Why an export as a whole is refused.
public enum ExportError: Error, Equatable {
  case tooLong(maximum: Int)
  case tooManyEntries(maximum: Int)
  /// The data does not show which format it is.
  case unknownFormat
  /// The data is not what the format says.
  case malformed
  /// A part of several is missing, or there twice.
  case incomplete(parts: Int)
  /// Deriving the key would take more memory or time than is given.
  case tooExpensive
  /// Encrypted in a way that cannot be opened here.
  case unsupportedEncryption
  case wrongPassword
  /// The format does not tell the two apart.
  case wrongPasswordOrDamaged
  /// The password is right, and what it opens is not.
  case damaged
}

extension ExportError: CustomStringConvertible {
  /// One sentence for a person, in lower case.
  public var description: String {
    switch self {
    case .tooLong(let maximum): "the data is longer than \(maximum) bytes"
    case .tooManyEntries(let maximum): "the data has more than \(maximum) entries"
    case .unknownFormat: "the data does not show which format it is in"
    case .malformed: "the data is not of this format"
    case .incomplete(let parts): "the export has \(parts) parts, and each is needed once"
    case .tooExpensive: "opening the data would take too much memory or time"
    case .unsupportedEncryption: "the data is encrypted in a way that cannot be opened here"
    case .wrongPassword: "the password is wrong"
    case .wrongPasswordOrDamaged: "the password is wrong or the data is damaged"
    case .damaged: "the data is damaged"
    }
  }
}

/// The data of an export as what it is, whatever the format: text in JSON, other text, or neither.
enum ExportData: Sendable {
  case json(JSON)
  case text(String)
  case binary([UInt8])

  init(_ bytes: [UInt8]) throws(ExportError) {
    let first = bytes.first { !Self.whitespace.contains($0) }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), !bytes.contains(0) {
      do { self = .json(try JSON(parsing: bytes)) } catch { throw .malformed }
    } else if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
      self = .text(text)
    } else {
      self = .binary(bytes)
    }
  }

  private static let whitespace = Array(" \t\r\n".utf8)

  /// The value, if the data is JSON.
  var json: JSON? {
    if case .json(let value) = self { value } else { nil }
  }

  /// The lines that are not blank, without the space around them, if the data is text but not JSON.
  var lines: [Substring]? {
    guard case .text(let text) = self else { return nil }
    return text.split(whereSeparator: \.isNewline).compactMap { line in
      guard let first = line.firstIndex(where: { !$0.isWhitespace }),
        let last = line.lastIndex(where: { !$0.isWhitespace })
      else { return nil }
      return line[first...last]
    }
  }

  /// Whether the first line that is not blank is a URI of this scheme; the others are not looked at.
  func begins(withScheme scheme: String) -> Bool {
    guard case .text(let text) = self else { return false }
    return text.drop(while: \.isWhitespace).prefix(scheme.count + 3).lowercased() == scheme + "://"
  }
}
