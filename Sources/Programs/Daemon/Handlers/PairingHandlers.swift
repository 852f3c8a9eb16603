internal import Authenticator
internal import ControlAPI
internal import SignOn

extension HandlerTable {
  static let pairingHandlers: [Handler] = [
    .later(PayloadGenerate.self) { service, _, call in
      try await service.authenticator.makePayload(for: call.caller.uid)
    },
    .later(PairingPair.self) { service, method, call in
      try await service.authenticator.pair(method.pairingKey, owner: call.caller.uid)
    },
    .later(PairingProcessIDToken.self) { service, method, call in
      let token = try await service.directory.verify(
        method.idToken,
        issuers: try await service.authenticator.acceptedIssuers(of: call.caller.uid),
        nonce: method.nonce,
        owner: call.caller.uid
      )
      return PairingProcessIDToken.Answer(
        pairing: try await service.authenticator.pairingRequest(of: token, owner: call.caller.uid)
      )
    },
    .now(PairingList.self) { service, _, call in
      PairingList.Answer(pairings: try service.authenticator.pairingRequests(of: call.caller.uid))
    },
    .later(PairingApprove.self) { service, method, call in
      try await service.authenticator.approvePairing(method.pairing, owner: call.caller.uid)
    },
    .now(PairingIgnore.self) { service, method, call in
      try service.authenticator.ignorePairing(method.pairing, owner: call.caller.uid)
      return Nothing()
    },
  ]
}
