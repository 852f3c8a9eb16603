internal import Accounts
internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import PingAM
internal import SelfService

extension Login {
  /// The values, with a passcode of this machine wherever a person wants one by `{"passcode": <account>}`.
  ///
  /// Which field that is, nothing of a page tells for certain, so that the person says it. The passcode goes only to the
  /// issuer that its account belongs to; an empty name means the only account there.
  func fillingIn(_ values: JSONObject) throws -> JSONObject {
    var filled = values
    for member in values.members {
      guard let wanted = OwnPasscode(value: member.value) else { continue }
      let account = try accountOfPasscodes(named: wanted.account)
      let passcode = try parts.passcodes.passcode(of: account, next: false, owner: owner)
      filled[member.name] = .string(passcode.code)
    }
    return filled
  }

  private func accountOfPasscodes(named name: String) throws -> String {
    let accounts = try accountsOfPasscodes()
    let meant = name.isEmpty ? accounts : accounts.filter { $0 == name }
    guard let first = meant.first else {
      throw RPCError.invalidParameter("values").saying("no account here makes passcodes for this issuer")
    }
    guard meant.count == 1 else { throw RPCError.ambiguous.with(["accounts": .strings(meant)]) }
    return first
  }

  /// Those that the issuer made, or of a journey its server.
  private func accountsOfPasscodes() throws -> [String] {
    guard call.method == .journey else {
      let issuer = client?.issuer.issuer ?? ""
      return try parts.selfService.accounts.usable(at: issuer, user: nil, of: owner).map(\.account.id)
    }
    return try parts.amDevices.accounts.makingPasscodes(at: transport.origin, of: owner)
  }
}
