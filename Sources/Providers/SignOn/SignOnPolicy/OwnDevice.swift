internal import Accounts
internal import Approvals
internal import ControlAPI
internal import EventLoop
internal import JSONRPC
internal import OpenIDConnect
internal import Time
internal import Vault

/// Answers a step with this machine as the user's device, if the user chooses it.
///
/// The server's page supplies only the user, the device and the kind of step. A question of mfad shows the
/// request to approve, or the receiver of a passcode.
@EventLoop
struct OwnDevice {
  /// The action with which the user chooses this machine.
  let action: SignOnPage.Action
  private let login: Login
  private let account: AccountRecord
  /// Time when this step was requested; a push that arrived earlier belongs to another sign-on.
  private let since: Timestamp

  /// Prepares the action for a step; `nil` if this machine has no action for it or no account for its user.
  init?(to step: PolicyStep, of login: Login) throws {
    guard let action = Self.actions[step.status], let user = step.user,
      let account = try Self.account(of: user, asked: action, step, login)
    else { return nil }
    (self.action, self.login, self.account) = (action, login, account)
    since = login.transport.sentAt
  }

  /// Returns the account for the step; `nil` without one.
  ///
  /// For a passcode, the account must match this issuer, the user and the step's selected device. The first
  /// source with such an account supplies it.
  private static func account(
    of user: String,
    asked action: SignOnPage.Action,
    _ step: PolicyStep,
    _ login: Login
  ) throws -> AccountRecord? {
    guard action.key == passcode.key else {
      return try login.parts.platform.account(user, login.owner)
    }
    guard let issuer = login.client?.issuer.issuer else { return nil }
    for source in login.parts.passcodeSources {
      let accounts = try source.accounts(
        makingPasscodesFor: issuer,
        user: user,
        device: step.selectedDevice,
        of: login.owner
      )
      if let first = accounts.first { return first }
    }
    return nil
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

  /// Returns the question whether to send a passcode; `nil` if the step requires no passcode.
  func passcodeQuestion() -> PasscodeQuestion? {
    guard action.key == Self.passcode.key else { return nil }
    return login.question(about: StepInput(), [PasscodeQuestion.Wanted(field: "otp", account: account)])
  }

  /// Returns the pending push requests that arrived since the step was requested; empty for other steps.
  func pushes() throws -> [String] {
    guard action.key == Self.push.key else { return [] }
    return try login.parts.approvals.pending(ofAccount: account.id, since: since, owner: login.owner)
  }

  func question(about push: String) throws -> PushQuestion {
    let notification = try login.parts.approvals.notification(push, of: login.owner)
    return PushQuestion(push: notification, account: account.shownName)
  }

  /// Carries out the user's decision on a push, with the same audit entry as outside of a sign-on.
  func carryOut(_ decision: PushQuestion.Decision, on push: String) async throws {
    let (parts, owner) = (login.parts, login.owner)
    func follow(_ method: String, _ body: () async throws -> NotificationResult) async throws {
      _ = try await parts.core.audit.following(method, owner: owner, target: { _ in push }, body)
    }
    switch decision {
    case .approve(let number):
      try await follow(NotificationApprove.name) {
        try await parts.approvals.approve(push, method: "user", number: number, owner: owner)
      }
    case .deny:
      try await follow(NotificationDeny.name) {
        try await parts.approvals.deny(push, reason: "NONE", owner: owner)
      }
    }
  }

  /// Returns the current state of a request.
  func state(of push: String) throws -> NotificationObject.State {
    let request = try login.parts.approvals.request(push, of: login.owner)
    return login.parts.approvals.state(of: request)
  }
}

extension AccountRecord {
  /// The name that users see, followed by the identifier, because names are not unique.
  var shownName: String { "\(nickname ?? label) (\(id))" }
}
