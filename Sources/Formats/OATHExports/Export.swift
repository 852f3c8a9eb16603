internal import JSON

/// An export of another authenticator, as one file or text.
public struct Export: Sendable {
  public enum Contents: Sendable {
    case plain([ExportedEntry])
    /// Contents encrypted with a password.
    case encrypted(EncryptedExport)
  }

  public let format: ExportFormat
  public let contents: Contents

  /// Maximum size in bytes; an export of this size in Base64 fits a line of the control interface.
  public static let maximumBytes = 180 * 1024
  static let maximumEntries = 1000

  /// Reads an export.
  ///
  /// If `format` is `nil`, detects the format; throws an error unless exactly one format matches.
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

/// The supported formats; the raw values are their names in the control interface.
public enum ExportFormat: String, Sendable, CaseIterable {
  /// One `otpauth:` URI per line.
  case uris
  /// One `otpauth-migration:` URI per line, from the QR codes of Google Authenticator.
  case migration
  case aegis
  case andOTP = "andotp"
  case bitwarden
  /// FreeOTP+. Exports of FreeOTP itself are not supported.
  case freeOTP = "freeotp"
  case twoFAS = "2fas"
  /// Credentials stored by ForgeRock's and Ping's authenticator libraries for PingAM.
  case am
}

/// Detects and reads a format.
struct ExportDecoder: Sendable {
  let format: ExportFormat
  /// True if the data has features that only this format has.
  let recognizes: @Sendable (ExportData) -> Bool
  let decode: @Sendable (ExportData) throws(ExportError) -> Export.Contents

  static let all: [ExportDecoder] = [
    .uris, .migration, .aegis, .andOTP, .bitwarden, .freeOTP, .twoFAS, .am,
  ]
}

/// The reason why a whole export is refused.
public enum ExportError: Error, Equatable {
  case tooLong(maximum: Int)
  case tooManyEntries(maximum: Int)
  /// The format could not be detected.
  case unknownFormat
  /// The data does not match the format.
  case malformed
  /// A part of a transfer is missing; the first part is 1.
  case incomplete(part: Int, of: Int)
  /// The key derivation exceeds the limits of memory or time.
  case tooExpensive
  /// The encryption is not supported.
  case unsupportedEncryption
  case wrongPassword
  /// The format cannot distinguish a wrong password from damage.
  case wrongPasswordOrDamaged
  /// The password is correct, but the contents are damaged.
  case damaged
}

extension ExportError: CustomStringConvertible {
  /// One sentence for display, in lower case.
  public var description: String {
    switch self {
    case .tooLong(let maximum): "the data is longer than \(maximum) bytes"
    case .tooManyEntries(let maximum): "the data has more than \(maximum) entries"
    case .unknownFormat: "the data does not show which format it is in"
    case .malformed: "the data is not of this format"
    case .incomplete(let part, let count): "part \(part) of \(count) of the transfer is missing"
    case .tooExpensive: "opening the data would take too much memory or time"
    case .unsupportedEncryption: "the data is encrypted in a way that cannot be opened here"
    case .wrongPassword: "the password is wrong"
    case .wrongPasswordOrDamaged: "the password is wrong or the data is damaged"
    case .damaged: "the data is damaged"
    }
  }
}
