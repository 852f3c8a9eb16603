internal import AMEnrolments
internal import Accounts
internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import Journal
internal import OATHExports
internal import Settings
internal import Vault
internal import WebAddress

extension AMEnroller {
  /// Takes an account over with which another authenticator was enrolled: it goes on under the same id, and the server
  /// is told where its pushes go from now on.
  func take(_ record: PushRecord, owner: uid_t) throws -> Imports.Outcome {
    let credential: AMPushCredential
    do throws(OATHError) { credential = try AMPushCredential(record) } catch {
      return .skipped(.init(ExportedEntry.Skip(error)))
    }
    let core = accounts.accounts
    if let id = try accounts.table.account(withMechanism: credential.mechanism, of: owner) {
      return .exists(try core.record(id, of: owner))
    }
    if let known = try accounts.inForce(credential, of: owner) { return .exists(known) }
    guard settings.current.enrolmentOrigins.contains(credential.authenticate.origin) else {
      return .skipped(.originRefused)
    }
    guard try core.hasRoom(for: owner) else { return .skipped(.quota) }
    let account = try accounts.insert(credential, state: .active, owner: owner)
    try refresh.tookOver(account)
    if let taken = try accounts.table.account(account) {
      try core.setLock(accounts.lock(of: taken), on: account.id, of: owner)
    }
    core.vault.whenCommitted {
      _ = try? core.publish(account.id, of: owner)
      Journal.info("took over an account that another authenticator had", ["uid": owner])
    }
    return .made(account)
  }
}
