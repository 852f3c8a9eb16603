internal import Accounts
internal import Approvals
internal import ControlAPI
internal import EventLoop
internal import JSON
internal import PingOne
internal import SelfService
internal import Time
internal import Vault

/// This machine as the very device that a step asks, when the person says so.
@EventLoop
struct OwnDevice {
  /// How a person asks for it.
  let action: SignOnPage.Action
  private let login: Login
  private let account: String
  /// When the step was asked for: what came before it is of another sign-on.
  private let since: Timestamp

  /// What this machine can do for a step; `nil` if that is nothing, or this owner has no account of the user who signs on.
  init?(to step: PolicyStep, of login: Login) throws {
    guard let action = Self.actions[step.status], let user = step.user,
      let account = try Self.account(of: user, asked: action, step, login)
    else { return nil }
    (self.action, self.login, self.account) = (action, login, account)
    since = login.transport.sentAt
  }

  /// The account that is asked: a passcode device of this very issuer, else one that the device service paired.
  private static func account(
    of user: String,
    asked action: SignOnPage.Action,
    _ step: PolicyStep,
    _ login: Login
  ) throws -> String? {
    if action.key == passcode.key, let issuer = login.client?.issuer.issuer {
      let devices = try login.parts.selfService.accounts.usable(at: issuer, user: user, of: login.owner)
      let asked = devices.first { step.selectedDevice == nil || $0.device == step.selectedDevice }
      if let asked { return asked.account.id }
    }
    return try login.parts.accounts.active(of: login.owner).first { $0.user.id == user }?.account.id
  }

  private static let passcode = SignOnPage.Action(
    key: "otp.own",
    label: "Use this machine's passcode",
    kind: .flow
  )
  private static let push = SignOnPage.Action(
    key: "push.own",
    label: "Approve with this machine",
    kind: .flow
  )
  private static let actions = ["OTP_REQUIRED": passcode, "PUSH_CONFIRMATION_REQUIRED": push]

  /// The input to a step that wants a passcode; `nil` for other steps.
  func values() throws -> JSONObject? {
    guard action.key == Self.passcode.key else { return nil }
    let passcode = try login.parts.passcodes.passcode(of: account, next: false, owner: login.owner)
    return ["otp": .string(passcode.code)]
  }

  /// The requests that arrived since the step came: one of them is what the step waits for.
  func pushes() throws -> [String] {
    guard action.key == Self.push.key else { return [] }
    return try login.parts.approvals.pending(ofAccount: account, since: since, owner: login.owner)
  }

  /// Approves a request with the number that the step shows.
  func approve(_ push: String, number: Int?) async throws {
    _ = try await login.parts.audit.following(
      NotificationApprove.name,
      owner: login.owner,
      target: { (_: NotificationResult?) in push }
    ) {
      try await login.parts.approvals.approve(push, method: "user", number: number, owner: login.owner)
    }
  }
}
