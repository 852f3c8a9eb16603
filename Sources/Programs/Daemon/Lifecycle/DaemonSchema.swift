internal import Accounts
internal import Approvals
internal import PingAM
internal import PingOne
internal import PushRelay
public import SQLite
internal import SelfService
internal import SignOn
public import Vault

/// The tables of the daemon's database.
public enum DaemonSchema {
  /// Every component that stores data of owners.
  public static let components: [any OwnedComponent.Type] = [
    Accounts.self,
    Approvals.self,
    Devices.self,
    PingOneAccounts.self,
    Pairings.self,
    Pushes.self,
    AMAccounts.self,
    AMPushes.self,
    TOTPAccounts.self,
    BoundKeys.self,
    Sessions.self,
    PushRelays.self,
  ]

  public static let tables = [Vault.schema] + components.map { $0.schema }

  /// The schema before the first release.
  ///
  /// To change a table, change its statement and raise the version.
  ///
  /// After the first release, a change is a migration from one version to the next.
  public static let current = DatabaseSchema(version: 3, tables)
}
