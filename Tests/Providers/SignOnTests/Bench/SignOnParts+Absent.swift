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
      life.core,
      accounts: life.paired,
      passcodes: life.passcodes,
      approvals: life.approvals,
      devices: life.devices,
      payloads: life.payloads,
      pairings: life.pairings,
      sessions: life.sessions,
      selfService: SelfService(
        life.core,
        accounts: TOTPAccounts(accounts: life.accounts, passcodes: life.passcodes),
        exchange: { _ throws(CourierFailure) in throw .unreachable },
        machine: "host"
      ),
      amDevices: AMDeviceService(
        accounts: AMAccounts(life.core, accounts: life.accounts, passcodes: life.passcodes) {
          AMHostFacts(hasBiometrics: false, tampering: 0)
        }
      ),
      boundKeys: life.boundKeys
    )
  }
}
