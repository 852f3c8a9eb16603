package import Accounts
package import Approvals
internal import Configuration
package import DeviceBinding
package import PingAM
package import PingOne
package import SelfService
package import Settings
package import Vault

/// What sign-ons use of the rest of the daemon.
package struct SignOnParts: Sendable {
  let owners: Owners
  let audit: Audit
  let settings: Settings
  let accounts: PingOneAccounts
  let passcodes: Passcodes
  let approvals: Approvals
  let devices: Devices
  let payloads: Payloads
  let pairings: Pairings
  let sessions: Sessions
  let selfService: SelfService
  let amDevices: AMDeviceService
  let boundKeys: BoundKeys

  package init(
    owners: Owners,
    audit: Audit,
    settings: Settings,
    accounts: PingOneAccounts,
    passcodes: Passcodes,
    approvals: Approvals,
    devices: Devices,
    payloads: Payloads,
    pairings: Pairings,
    sessions: Sessions,
    selfService: SelfService,
    amDevices: AMDeviceService,
    boundKeys: BoundKeys
  ) {
    (self.owners, self.audit, self.settings) = (owners, audit, settings)
    (self.accounts, self.passcodes, self.approvals) = (accounts, passcodes, approvals)
    (self.devices, self.payloads, self.pairings, self.sessions) = (devices, payloads, pairings, sessions)
    (self.selfService, self.amDevices, self.boundKeys) = (selfService, amDevices, boundKeys)
  }
}
