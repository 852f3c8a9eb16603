public import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC
internal import OATH
public import OATHExports
internal import OpenSSL
internal import Text

/// What makes accounts of exported credentials: one entry for each kind of these, which whoever keeps such accounts
/// registers.
@EventLoop
public final class Imports {
  /// What becomes of a credential.
  public enum Outcome {
    /// It is an account now, or a part of one.
    case made(AccountRecord)
    /// Its owner has it already, in that account if it is told.
    case exists(AccountRecord?)
    case skipped(AccountImport.Skipped.Reason)

    var isMade: Bool { if case .made = self { true } else { false } }

    var account: AccountRecord? {
      switch self {
      case .made(let account): account
      case .exists(let account): account
      case .skipped: nil
      }
    }
  }

  /// Takes a credential within the transaction of an import, with what became of another credential that has the same
  /// names and came before it.
  public typealias Importer = @EventLoop (ExportedCredential, Outcome?, uid_t) throws -> Outcome

  private var importers: [ExportedCredential.Kind: Importer] = [:]
  /// Whose large export is being brought in.
  private var underWay: Set<uid_t> = []

  /// Each is held several times over, as it came, opened and read.
  private static let mostUnderWay = 4

  public let lane = DerivationLane()
  /// At which large ones are stored, each of which is one transaction.
  let pace = Pace(share: 2)

  nonisolated init() {}

  public func register(_ kind: ExportedCredential.Kind, _ importer: @escaping Importer) {
    importers[kind] = importer
  }

  /// Brings in a large export: one of an owner at a time, and four in all.
  ///
  /// Throws: `DerivationLane.Busy` beyond that.
  func bringIn<Value>(for owner: uid_t, _ work: @EventLoop () async throws -> Value) async throws -> Value {
    guard underWay.count < Self.mostUnderWay, underWay.insert(owner).inserted else {
      throw DerivationLane.Busy()
    }
    defer { underWay.remove(owner) }
    return try await work()
  }

  func take(_ credential: ExportedCredential, after other: Outcome?, owner: uid_t) throws -> Outcome {
    guard let importer = importers[credential.kind] else { return .skipped(.unsupported) }
    return try importer(credential, other, owner)
  }
}

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
