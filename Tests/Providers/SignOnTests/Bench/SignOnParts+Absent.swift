import AMEnrolments
import Accounts
import Configuration
import ControlAPI
import CourierProtocol
import Daemon
import EventLoop
import JSON
import PingAM
import PingOne
import SelfService
import TestPlatform
import Time

@testable import SignOn

extension SignOnParts {
  /// The services that sign-ons use, with an unreachable platform.
  ///
  /// Tests must not need a platform.
  @EventLoop
  init(
    directory: String,
    configuration: Configuration,
    posture: JSON = [:],
    after: @escaping Delay = { EventLoop.after($0, $1) }
  ) throws {
    let life = try Life(
      directory: directory,
      configuration: configuration,
      exchange: { _ throws(CourierFailure) in throw .unreachable },
      time: .system,
      posture: { posture },
      after: after
    )
    let totp = TOTPAccounts(accounts: life.accounts, passcodes: life.passcodes)
    let am = AMAccounts(life.core, accounts: life.accounts, passcodes: life.passcodes) {
      AMHostFacts(hasBiometrics: false, tampering: 0)
    }
    self.init(
      life.core,
      passcodes: life.passcodes,
      approvals: life.approvals,
      enrolments: life.accounts.enrolments,
      sessions: life.sessions,
      boundKeys: life.boundKeys,
      platform: PairingPlatform(
        accounts: life.paired,
        devices: life.devices,
        pairings: life.pairings,
        payloads: life.payloads
      ),
      passcodeSources: [totp, life.paired, am],
      tokenDevices: SelfService(
        life.core,
        accounts: totp,
        exchange: { _ throws(CourierFailure) in throw .unreachable },
        machine: "host"
      ),
      sessionDevices: AMDeviceService(accounts: am),
      posture: { posture }
    )
  }
}
