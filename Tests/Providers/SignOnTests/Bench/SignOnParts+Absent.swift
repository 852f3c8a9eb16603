import Accounts
import AMEnrolments
import Configuration
import ControlAPI
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
        acceptedIssuers: { try await life.devices.acceptedIssuers(of: $0) },
        mobilePayload: { try await life.payloads.make(for: $0, audience: $1, challenge: $2).mobilePayload },
        pair: { try await life.pairings.pair($0, owner: $1) },
        pairingRequest: { try await life.pairings.pairingRequest(of: $0, owner: $1) },
        account: { _, _ in nil },
        user: { _, _ in nil }
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
