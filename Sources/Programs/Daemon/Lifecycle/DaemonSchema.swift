internal import Accounts
internal import Approvals
internal import PingAM
internal import PingOne
internal import PushRelay
package import SQLite
internal import SelfService
internal import SignOn
package import Vault

/// The tables of the daemon's database.
package enum DaemonSchema {
  /// Every component that stores data of owners.
  package static let components: [any OwnedComponent.Type] = [
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

  package static let tables = [Vault.schema] + components.map { $0.schema }

  /// The layout before the first release: a change of a table changes its statement and raises the number.
  ///
  /// From the first release on, a change is a step from one layout to the next.
  package static let current = DatabaseSchema(version: 1, tables)
}
