internal import Accounts
internal import Approvals
internal import ControlAPI
internal import EventLoop
internal import JSONRPC
internal import OpenIDConnect
internal import Time
internal import Vault

/// This machine as the very device that a step asks, when the person says so.
///
/// The page tells only who signs on and that a device is asked. What is approved, and where a passcode goes, the person
/// is shown in this machine's own words first.
@EventLoop
struct OwnDevice {
  /// How a person asks for it.
  let action: SignOnPage.Action
  private let login: Login
  private let account: AccountRecord
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

  /// The account that is asked.
  ///
  /// A passcode comes from one of this very issuer: a device of the user there, else a pairing with them.
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

  /// What the person is asked before a step gets its passcode; `nil` for other steps.
  func passcodeQuestion() -> PasscodeQuestion? {
    guard action.key == Self.passcode.key else { return nil }
    return login.question(about: StepInput(), [PasscodeQuestion.Wanted(field: "otp", account: account)])
  }

  /// The requests that arrived since the step came: one of them is what the step waits for.
  func pushes() throws -> [String] {
    guard action.key == Self.push.key else { return [] }
    return try login.parts.approvals.pending(ofAccount: account.id, since: since, owner: login.owner)
  }

  func question(about push: String) throws -> PushQuestion {
    let notification = try login.parts.approvals.notification(push, of: login.owner)
    return PushQuestion(push: notification, account: account.shownName)
  }

  /// Does what the person decided, of which an entry is left like of every decision.
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

  /// Where a request stands now.
  func state(of push: String) throws -> NotificationObject.State {
    let request = try login.parts.approvals.request(push, of: login.owner)
    return login.parts.approvals.state(of: request)
  }
}

extension AccountRecord {
  /// What a person knows it by, and the id that tells it from others of that name.
  var shownName: String { "\(nickname ?? label) (\(id))" }
}
