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

/// The steps of the schema in their order; one that has been released is never changed, new ones are appended.
package enum Schema {
  package static let steps: [Migration] = [
    Vault.schema, Accounts.schema, Approvals.schema, PingOneSchema.schema, Sessions.schema,
    SelfServiceSchema.schema, PingAMSchema.schema, Accounts.resources, PingAMSchema.resources,
    PingAMSchema.mechanismsOfOwners, PushRelaySchema.schema, DeviceBindingSchema.schema,
    Vault.ownerKeySchema, PingOneSchema.sealedPlatformKeys,
    Vault.auditChains, Vault.ownerGuards, Vault.pinSchema, Accounts.guardedSecrets, PingOneSchema.guardedKeys,
    Vault.rollbackSchema, Vault.erasedOwners, Vault.presenceSchema,
    PingAMSchema.guardedSecrets, PingAMSchema.unread, DeviceBindingSchema.guardedKeys, Vault.sealedPINs,
    Approvals.settledTimes, Accounts.lockTimes, Approvals.blindDecisions, Accounts.unsureCounts,
  ]
}
