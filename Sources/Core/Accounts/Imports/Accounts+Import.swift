public import ControlAPI
internal import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import OATH
public import OATHExports
internal import Text
internal import Vault

extension Accounts {
  /// Creates accounts from another authenticator's export, in one transaction.
  ///
  /// Entries that cannot be imported are skipped.
  public func importExport(_ request: AccountImport, owner: uid_t) async throws -> AccountImport.Result {
    do {
      guard request.isLarge else { return try await bringIn(request, owner: owner) }
      return try await imports.bringIn(for: owner) { try await bringIn(request, owner: owner) }
    } catch is BlockingWorkQueue.Busy {
      throw RPCError.rateLimited.with(["retryAfter": 1])
    }
  }

  private func bringIn(_ request: AccountImport, owner: uid_t) async throws -> AccountImport.Result {
    let isQuick = !request.isLarge && request.password == nil
    let entries =
      isQuick ? try request.entries() : try await imports.lane.run(for: owner) { try request.entries() }
    guard entries.count > Self.storedAtOnce else { return try store(entries, request, owner) }
    return try await imports.pace.run { try store(entries, request, owner) }
  }

  private func store(
    _ entries: [ExportedEntry],
    _ request: AccountImport,
    _ owner: uid_t
  ) throws -> AccountImport.Result {
    var result = AccountImport.Result(accounts: [], skipped: [])
    // A dry run throws `Undone`, which rolls back the changes of the import.
    struct Undone: Error {}
    do {
      try core.vault.write { _ in
        result = try take(entries, owner: owner)
        if request.isDryRun { throw Undone() }
      }
    } catch is Undone {}
    return result
  }

  private func take(_ entries: [ExportedEntry], owner: uid_t) throws -> AccountImport.Result {
    var skipped: [AccountImport.Skipped] = []
    var (made, ids): ([(index: Int, account: String)], Set<String>) = ([], [])
    var outcomes: [[String]: Imports.Outcome] = [:]
    for entry in entries {
      if case .failure(let error) = entry.credential {
        skipped.append(entry.skipped(.init(ExportedEntry.Skip(error)), error.description))
      }
    }
    for kind in ExportedCredential.Kind.allCases {
      // A credential can be added only to an account that a credential of another kind has created.
      let earlier = outcomes
      for entry in entries {
        guard case .success(let credential) = entry.credential, credential.kind == kind else { continue }
        let context = Imports.Context(owner: owner, other: earlier[credential.names], made: ids)
        let outcome = try imports.take(credential, context)
        switch outcome {
        case .made(let account):
          made.append((entry.index, account.id))
          ids.insert(account.id)
        case .exists: skipped.append(entry.skipped(.exists, "this account exists already"))
        case .skipped(let reason, let message): skipped.append(entry.skipped(reason, message))
        }
        if outcomes[credential.names]?.isMade != true { outcomes[credential.names] = outcome }
      }
    }
    return AccountImport.Result(
      accounts: try shown(made.sorted { $0.index < $1.index }.map(\.account), of: owner),
      skipped: skipped.sorted { $0.index < $1.index }
    )
  }

  /// Returns the current accounts with these ids, without duplicates.
  private func shown(_ ids: [String], of owner: uid_t) throws -> [Account] {
    var told: Set<String> = []
    return try ids.filter { told.insert($0).inserted }.map { id in
      guard let record = try record(id, of: owner), let account = try shown(record) else {
        throw RPCError.noSuch("account")
      }
      return account
    }
  }

  /// Maximum number of entries of an import that is stored without throttling.
  private static let storedAtOnce = 32
}

extension AccountImport.Skipped.Reason {
  public init(_ skip: ExportedEntry.Skip) {
    switch skip {
    case .unsupported: self = .unsupported
    case .invalid: self = .invalid
    }
  }
}

extension ExportedEntry {
  fileprivate func skipped(_ reason: AccountImport.Skipped.Reason, _ message: String) -> AccountImport.Skipped
  {
    AccountImport.Skipped(
      index: index,
      issuer: names.issuer.map { DisplayText.clean($0) },
      label: names.account.map { DisplayText.clean($0) },
      reason: .known(reason),
      message: message
    )
  }
}
