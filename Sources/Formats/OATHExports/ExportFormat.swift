/// The formats by the names of the control interface.
package enum ExportFormat: String, Sendable, CaseIterable {
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
