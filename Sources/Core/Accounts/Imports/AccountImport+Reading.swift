internal import ControlAPI
internal import JSONRPC
internal import OATH
internal import OATHExports
internal import OpenSSL
internal import Text

extension AccountImport {
  /// Whether it takes longer to read than any request may.
  var isLarge: Bool { data.utf8.count > 8 * 1024 }

  /// The entries of the export, which is opened if it is encrypted: from a millisecond to seconds.
  ///
  /// Throws: `RPCError`, or why the password could not be used.
  func entries() throws -> [ExportedEntry] {
    do {
      let export = try Export(bytes(), as: format == .auto ? nil : ExportFormat(rawValue: format.rawValue))
      switch export.contents {
      case .plain(let entries):
        guard export.format != .am || password == nil else {
          throw RPCError.invalidParameter(Self.passwordParameter).saying(
            "nothing of this format is encrypted"
          )
        }
        return entries
      case .encrypted(let export):
        guard let password else {
          throw RPCError.invalidParameter(Self.passwordParameter).saying("this export is encrypted")
        }
        return try export.open(with: Secret(copying: Array(password.utf8)))
      }
    } catch let error as ExportError {
      throw RPCError.invalidParameter(error.parameter).saying(error.description)
    }
  }

  private func bytes() throws -> [UInt8] {
    switch encoding {
    case .text: return Array(data.utf8)
    case .base64:
      guard let decoded = Base64.decode(data) else { throw RPCError.invalidParameter("data") }
      return decoded
    }
  }
}

extension ExportError {
  fileprivate var parameter: String {
    switch self {
    case .wrongPassword, .wrongPasswordOrDamaged: AccountImport.passwordParameter
    case .unknownFormat: "format"
    case .tooLong, .tooManyEntries, .malformed, .incomplete, .tooExpensive, .unsupportedEncryption, .damaged:
      "data"
    }
  }
}
