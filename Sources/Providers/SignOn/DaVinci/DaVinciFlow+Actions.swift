internal import ControlAPI
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Journal
internal import PingOne
internal import Vault

// What the actions of fields do.

extension DaVinciFlow {
  /// Hands in the form, by a button if it has one.
  func submit(_ input: StepInput, button: String?) async throws -> Step {
    guard let page else { throw RPCError.conflict }
    var reply = DaVinciReply(event: .submit, actionKey: button)
    reply.formData = try page.formData(input.values)
    if button == nil, let key = page.actionKey(of: input.values) {
      reply = DaVinciReply(event: .action, actionKey: key, formData: reply.formData)
    }
    return try await send(reply)
  }

  /// Leaves the form by another way, with what was filled in.
  func leave(_ input: StepInput, button: String) async throws -> Step {
    guard let page else { throw RPCError.conflict }
    let data = try page.partialFormData(input.values)
    return try await send(DaVinciReply(event: .action, actionKey: button, formData: data))
  }

  /// Says that there is no security key here, by the name that a browser would say it with.
  func refuseKey() async throws -> Step {
    try await send(DaVinciReply(event: .action, actionKey: "NotSupportedError", formData: nil))
  }

  /// Pairs this machine with the user who signs on, and says what became of it.
  func pair(_ key: String, field: String) async throws -> Step {
    let reply: JSON
    if let earlier = paired[field] {
      reply = earlier
    } else {
      do {
        // A pairing within a flow leaves the same entry as any other.
        _ = try await login.parts.audit.following(
          PairingPair.name,
          owner: login.owner,
          target: { (paired: Result<PairingInfo, RPCError>) in try? paired.get().account }
        ) { try await login.parts.pairings.pair(key, owner: login.owner) }
        reply = PairingReply.claimed
        paired[field] = reply
      } catch {
        Journal.warning("a sign-on could not pair", ["uid": login.owner])
        reply = PairingReply.reply(to: error)
      }
    }
    return try await send(DaVinciReply(event: .action, formData: JSONObject([(field, reply)])))
  }

  /// Says that this machine is not to be paired.
  func declinePairing(field: String) async throws -> Step {
    let data = JSONObject([(field, PairingReply.declined)])
    return try await send(DaVinciReply(event: .action, formData: data))
  }
}

extension DaVinciPage {
  /// The key that an answered field brings when no button is pressed.
  func actionKey(of values: JSONObject) -> String? {
    fields.lazy.filter { values[$0.field.key] != nil }.compactMap(\.input?.actionKey).first
  }

  /// Whether there is nothing but a security key that a browser would use by itself.
  var onlyAsksForSecurityKey: Bool {
    actions.count == 1 && inputFields.isEmpty && fields.contains(where: \.isAutomaticKey)
  }

  /// Where the browser has to be sent if the page offers nothing but one other provider.
  var onlyProvider: String? {
    guard actions.count == 1, inputFields.isEmpty else { return nil }
    return fields.lazy.compactMap(\.provider).first
  }
}
