import AMEnrolments
import OATH
import OATHExports
import OpenSSL

extension FuzzTarget {
  /// Enrolment data: URIs, and exports of other authenticators.
  static let enrolments = [
    FuzzTarget(text: "key-uri") { text in
      let uri = try KeyURI(text)
      switch uri.scheme {
      case .otpauth: _ = try OATHCredential(OATHRecord(uri: uri))
      case .pushauth, .mfauth:
        let enrolment = try AMEnrolment(uri)
        _ = try enrolment.oath.map { try OATHCredential($0) }
        _ = enrolment.policies.firstUnmet(by: AMHostFacts(hasBiometrics: false, tampering: 0.5))
      }
    },
    FuzzTarget("migration-message") { bytes in
      // The target is the content of the message, not its encoding.
      let text = Base64.encode(bytes).utf8.flatMap { $0 == UInt8(ascii: "+") ? Array("%2B".utf8) : [$0] }
      try read(Export(Array("otpauth-migration://offline?data=".utf8) + text, as: .migration))
    },
  ]

  /// One target for each format, and one for input without a named format.
  static let exports =
    ExportFormat.allCases.map { format in
      FuzzTarget("export-\(format.rawValue)") { try read(Export($0, as: format)) }
    } + [FuzzTarget("export") { try read(Export($0)) }]

  /// Converts entries to accounts.
  ///
  /// Encrypted entries are skipped, since key derivation is slow by design.
  private static func read(_ export: Export) throws {
    guard case .plain(let entries) = export.contents else { return }
    for entry in entries {
      switch entry.credential {
      case .success(.oath(let record)): _ = try? OATHCredential(record)
      case .success(.push(let record)): _ = try? AMPushCredential(record)
      case .failure: break
      }
    }
  }
}
