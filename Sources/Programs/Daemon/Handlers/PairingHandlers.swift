internal import Accounts
internal import ControlAPI
internal import OpenIDConnect
internal import PingOne
internal import SignOn

extension HandlerTable {
  static let pairingHandlers: [Handler] = [
    .asynchronous(PayloadGenerate.self) { service, _, call in
      try await service.pingOne.payloads.make(for: call.caller.uid)
    },
    .asynchronous(PairingPair.self) { service, method, call in
      try await service.pingOne.pairings.pair(method.pairingKey, owner: call.caller.uid)
    },
    .asynchronous(PairingProcessIDToken.self) { service, method, call in
      let token = try await service.directory.verify(
        method.idToken,
        issuers: try await service.pingOne.devices.acceptedIssuers(of: call.caller.uid),
        nonce: method.nonce,
        owner: call.caller.uid
      )
      return try await service.pingOne.pairings.pairingRequest(of: token, owner: call.caller.uid)
    },
    .now(PairingList.self) { service, _, call in
      try service.pingOne.pairings.pairingRequests(of: call.caller.uid)
    },
    .asynchronous(PairingApprove.self) { service, method, call in
      try await service.presence.verifying(method.presence, of: call.caller.uid) {
        try await service.pingOne.pairings.approvePairing(method.pairing, owner: call.caller.uid)
      }
    },
    .now(PairingIgnore.self) { service, method, call in
      try service.pingOne.pairings.ignorePairing(method.pairing, owner: call.caller.uid)
      return Nothing()
    },
  ]
}
