internal import Accounts
internal import Approvals
internal import DeviceBinding
internal import PingAM
internal import PingOne
internal import PushRelay
package import SQLite
internal import SelfService
internal import SignOn
internal import Vault

/// The tables of the daemon's database.
package enum Schema {
  /// The layout before the first release: a change of a table changes its statement.
  ///
  /// From the first release on, a change is a step from one layout to the next.
  package static let current = DatabaseSchema(
    version: 1,
    [
      Vault.schema, Accounts.schema, Approvals.schema, PingOneSchema.schema, Sessions.schema,
      SelfServiceSchema.schema, PingAMSchema.schema, PushRelaySchema.schema, DeviceBindingSchema.schema,
    ]
  )
}
