package import Accounts
package import Approvals
internal import Configuration
package import PingAM
package import PingOne
package import SelfService
internal import Settings
package import Vault

/// What sign-ons use of the rest of the daemon.
package struct SignOnParts: Sendable {
  let core: Core
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
    _ core: Core,
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
    (self.core, self.accounts, self.passcodes, self.approvals) = (core, accounts, passcodes, approvals)
    (self.devices, self.payloads, self.pairings, self.sessions) = (devices, payloads, pairings, sessions)
    (self.selfService, self.amDevices, self.boundKeys) = (selfService, amDevices, boundKeys)
  }
}
