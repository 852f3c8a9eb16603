internal import Accounts
internal import Approvals
internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import PingAM
internal import SelfService
internal import WebAddress

extension Login {
  /// Answers the step; where the answer holds passcodes of this machine, the person is asked first.
  ///
  /// A passcode is wanted by `{"passcode": <account>}` in the place of a value, since nothing of a page tells for certain
  /// which field that is. It goes only to the issuer that its account belongs to.
  func answer(_ input: StepInput, _ flow: any SignOnFlow) async throws -> Step {
    if let question {
      switch input.action {
      case PasscodeQuestion.release.key:
        let step = try await flow.next(try filledIn(question))
        self.question = nil
        return step
      case PasscodeQuestion.keep.key:
        self.question = nil
        return .page(page)
      case nil where input.values.isEmpty: return .page(question.page)
      default: self.question = nil
      }
    }
    let wanted = try input.values.members.compactMap { member in
      try OwnPasscode(value: member.value).map {
        PasscodeQuestion.Wanted(field: member.name, account: try accountOfPasscodes(named: $0.account))
      }
    }
    guard wanted.isEmpty else { return ask(question(about: input, wanted)) }
    return try await flow.next(input)
  }

  /// Asks the person for their word on passcodes before anything else is done.
  func ask(_ question: PasscodeQuestion) -> Step {
    self.question = question
    return .page(question.page)
  }

  func question(about input: StepInput, _ wanted: [PasscodeQuestion.Wanted]) -> PasscodeQuestion {
    PasscodeQuestion(input: input, wanted: wanted, receiver: receiver ?? "")
  }

  private func filledIn(_ question: PasscodeQuestion) throws -> StepInput {
    try parts.approvals.presence.checkAlways(of: owner)
    var input = question.input
    for wanted in question.wanted {
      let passcode = try parts.passcodes.passcode(of: wanted.account.id, next: false, owner: owner)
      input.values[wanted.field] = .string(passcode.code)
    }
    return input
  }

  /// An empty name means the only account there.
  private func accountOfPasscodes(named name: String) throws -> AccountRecord {
    let accounts = try accountsOfPasscodes()
    let meant = name.isEmpty ? accounts : accounts.filter { $0.id == name }
    guard let first = meant.first else {
      throw RPCError.invalidParameter("values").saying("no account here makes passcodes for this issuer")
    }
    guard meant.count == 1 else { throw RPCError.ambiguous.with(["accounts": .strings(meant.map(\.id))]) }
    return first
  }

  /// Those that the issuer made, or of a journey its server.
  private func accountsOfPasscodes() throws -> [AccountRecord] {
    guard call.method == .journey else {
      return try parts.selfService.accounts.usable(at: receiver ?? "", user: nil, of: owner).map(\.account)
    }
    return try parts.amDevices.accounts.makingPasscodes(at: transport.origin, of: owner)
  }
}
