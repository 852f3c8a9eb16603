import AMEnrolments
import Configuration
import CourierProtocol
import EventLoop
import JSON
import PingAM
import PingOne
import SelfService
import TestPlatform
import Time

@testable import SignOn

extension SignOnParts {
  /// What sign-ons use of a daemon whose platform nobody can reach: what is tested beside it must not need one.
  @EventLoop
  init(directory: String, configuration: Configuration, posture: JSON = [:]) throws {
    let life = try Life(
      directory: directory,
      configuration: configuration,
      exchange: { _ throws(CourierFailure) in throw .unreachable },
      time: .system,
      posture: { posture }
    )
    self.init(
      owners: life.owners,
      audit: life.audit,
      settings: life.settings,
      accounts: life.paired,
      passcodes: life.passcodes,
      approvals: life.approvals,
      devices: life.devices,
      payloads: life.payloads,
      pairings: life.pairings,
      sessions: life.sessions,
      selfService: SelfService(
        accounts: TOTPAccounts(accounts: life.accounts, passcodes: life.passcodes),
        audit: life.audit,
        exchange: { _ throws(CourierFailure) in throw .unreachable },
        machine: "host",
        time: .system
      ),
      amDevices: AMDeviceService(
        accounts: AMAccounts(accounts: life.accounts, passcodes: life.passcodes, quota: life.quota) {
          AMHostFacts(hasBiometrics: false, tampering: 0)
        },
        audit: life.audit
      ),
      boundKeys: life.boundKeys
    )
  }
}
