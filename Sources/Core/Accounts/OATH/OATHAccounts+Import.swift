package import ControlAPI
internal import EventLoop
package import Glibc
internal import JSONRPC
internal import OATH
internal import OATHExports
internal import OpenSSL
internal import Text
internal import Vault
internal import JSON

extension OATHAccounts {
  /// Makes accounts of what another authenticator exported: of all entries that can be, or of none.
  package func importExport(_ request: AccountImport, owner: uid_t) async throws -> AccountImport.Result {
    let entries = try await entries(of: request, owner: owner)
    var (made, skipped): ([Account], [AccountImport.Skipped]) = ([], [])
    // What is only tried out leaves nothing.
    struct Undone: Error {}
    do {
      try accounts.vault.write { _ in
        for entry in entries {
          do { made.append(try insert(entry, owner: owner)) } catch let skip as Skip {
            skipped.append(skip.told(of: entry))
          }
        }
        if request.isDryRun { throw Undone() }
      }
    } catch is Undone {}
    return AccountImport.Result(accounts: made, skipped: skipped)
  }

  private struct Skip: Error {
    let reason: AccountImport.Skipped.Reason

    func told(of entry: ExportedEntry) -> AccountImport.Skipped {
      AccountImport.Skipped(
        index: entry.index,
        issuer: entry.issuer.map { DisplayText.clean($0) },
        label: entry.label.map { DisplayText.clean($0) },
        reason: .known(reason)
      )
    }
  }

  private func insert(_ entry: ExportedEntry, owner: uid_t) throws -> Account {
    let credential: OATHCredential
    do { credential = try entry.credential() } catch {
      switch error {
      case .unsupported: throw Skip(reason: .unsupported)
      case .invalid: throw Skip(reason: .invalid)
      }
    }
    guard try accounts.records(of: owner).count < Accounts.limit else { throw Skip(reason: .quota) }
    guard let account = try insert(credential, owner: owner) else { throw Skip(reason: .exists) }
    guard let shown = try accounts.shown(account) else { throw RPCError.notFound }
    return shown
  }

  /// The entries of an export; an encrypted one is opened beside the loop.
  private func entries(of request: AccountImport, owner: uid_t) async throws -> [ExportedEntry] {
    let data: [UInt8]
    switch request.encoding {
    case .text: data = Array(request.data.utf8)
    case .base64:
      guard let decoded = Base64.decode(request.data) else { throw RPCError.invalidParameter("data") }
      data = decoded
    }
    do {
      let format = request.format == .auto ? nil : ExportFormat(rawValue: request.format.rawValue)
      switch try Export(data, as: format).contents {
      case .plain(let entries): return entries
      case .encrypted(let export):
        guard let password = request.password else {
          throw RPCError.invalidParameter("password").saying("this export is encrypted")
        }
        let secret = Secret(copying: Array(password.utf8))
        return try await lane.run(for: owner) { try export.open(with: secret) }
      }
    } catch let error as ExportError {
      throw RPCError.invalidParameter(error.parameter).saying(error.description)
    } catch is DerivationLane.Busy {
      throw RPCError.rateLimited.with(["retryAfter": 1])
    }
  }
}

extension ExportError {
  fileprivate var parameter: String {
    switch self {
    case .wrongPassword, .wrongPasswordOrDamaged: "password"
    case .unknownFormat: "format"
    case .tooLong, .tooManyEntries, .malformed, .incomplete, .tooExpensive, .unsupportedEncryption, .damaged:
      "data"
    }
  }
}
