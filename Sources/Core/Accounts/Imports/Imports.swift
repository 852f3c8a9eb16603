public import ControlAPI
public import EventLoop
public import Glibc
internal import JSONRPC
internal import OATH
public import OATHExports
internal import OpenSSL
internal import Text

/// Creates accounts from exported credentials.
///
/// Each credential kind has one importer, which its component registers.
@EventLoop
public final class Imports {
  /// The result of importing a credential.
  public enum Outcome {
    /// The credential was imported as a new account or added to this account.
    case made(AccountRecord)
    /// The owner already has the credential. The associated value is the account, if the importer names it.
    case exists(AccountRecord?)
    /// The reason, and a sentence for display about it.
    case skipped(AccountImport.Skipped.Reason, String)

    public static func skipped(_ error: OATHError) -> Outcome {
      .skipped(.init(ExportedEntry.Skip(error)), error.description)
    }

    public static var unsupported: Outcome { skipped(.unsupportedType) }
    /// The owner has the maximum number of accounts.
    public static var noRoom: Outcome { .skipped(.quota, "\(Accounts.limit) accounts exist, the maximum") }

    var isMade: Bool { if case .made = self { true } else { false } }

    var account: AccountRecord? {
      switch self {
      case .made(let account): account
      case .exists(let account): account
      case .skipped: nil
      }
    }
  }

  /// The import that a credential is part of.
  public struct Context {
    public let owner: uid_t
    /// The outcome of a credential of another kind with the same issuer and account name; nil if the import has
    /// not processed one before.
    public let other: Outcome?
    /// The ids of the accounts that this import has created.
    public let made: Set<String>
  }

  /// Imports a credential in the transaction of an import.
  public typealias Importer = @EventLoop (ExportedCredential, Context) throws -> Outcome

  private var importers: [ExportedCredential.Kind: Importer] = [:]
  /// Owners with a large import in progress.
  private var underWay: Set<uid_t> = []

  /// Maximum number of large imports in progress.
  ///
  /// Each keeps several copies of its data in memory: encoded, decrypted and parsed.
  private static let mostUnderWay = 4

  /// Maximum number of owners that wait for the lane; further ones are refused.
  private nonisolated static let mostWaiting = 2

  /// Parses exports and derives their keys; PINs have a lane of their own.
  let lane = BlockingWorkQueue(mostWaiting: Imports.mostWaiting)
  /// Throttles the storing of large imports, each of which is one transaction.
  let pace = Throttle(share: 2)

  nonisolated init() {}

  public func register(_ kind: ExportedCredential.Kind, _ importer: @escaping Importer) {
    importers[kind] = importer
  }

  /// Runs a large import: at most one per owner and four in total.
  ///
  /// Throws: `BlockingWorkQueue.Busy` if there are more.
  func bringIn<Value>(for owner: uid_t, _ work: @EventLoop () async throws -> Value) async throws -> Value {
    guard underWay.count < Self.mostUnderWay, underWay.insert(owner).inserted else {
      throw BlockingWorkQueue.Busy()
    }
    defer { underWay.remove(owner) }
    return try await work()
  }

  func take(_ credential: ExportedCredential, _ context: Context) throws -> Outcome {
    guard let importer = importers[credential.kind] else { return .unsupported }
    return try importer(credential, context)
  }
}

extension AccountImport {
  /// True if parsing may take longer than an ordinary request is allowed to.
  var isLarge: Bool { data.utf8.count > 8 * 1024 }

  /// Returns the entries of the export, after decrypting it if necessary; this may take seconds.
  ///
  /// Throws: `RPCError` that names the invalid parameter, for instance a wrong password.
  func entries() throws -> [ExportedEntry] {
    do {
      let export = try Export(bytes(), as: format == .auto ? nil : ExportFormat(rawValue: format.rawValue))
      switch export.contents {
      case .plain(let entries):
        guard export.format != .am || password == nil else {
          throw RPCError.invalidParameter(Self.passwordParameter).withMessage(
            "exports of this format are not encrypted"
          )
        }
        return entries
      case .encrypted(let export):
        guard let password else {
          throw RPCError.invalidParameter(Self.passwordParameter).withMessage("this export is encrypted")
        }
        return try export.open(with: Secret(copying: Array(password.utf8)))
      }
    } catch let error as ExportError {
      throw RPCError.invalidParameter(error.parameter).withMessage(error.description)
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
