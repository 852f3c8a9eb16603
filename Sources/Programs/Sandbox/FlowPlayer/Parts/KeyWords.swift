import JOSE
import JSON

// Effects of AM's nodes for device keys. Each can set a variable to AM's name of the node's outcome.
extension FlowEffects {
  static let keys = [
    object("askForKey", [], optional: ["text", "limit"], variables: ["challenge", "userId", "outcome"]) {
      play,
      values throws(ErrorResponse) in
      let random = standardBase64(try randomSecret(32))
      let challenge = values["text"] ?? random
      let user = play.user.flatMap { play.tenant.users[$0] }
      let userID = user.map { play.tenant.universalID(of: $0, in: play.realm) } ?? ""
      play.keyChallenge = challenge
      play.set(values["challenge"], to: challenge)
      play.set(values["userId"], to: userID)
      play.set(values["outcome"], to: play.hasRoom(values["limit"]) ? "ask" : "exceedDeviceLimit")
    },
    object(
      "bindKey",
      ["jws", "deviceName", "deviceId", "clientError"],
      optional: ["limit"],
      variables: ["outcome"]
    ) { play, values throws(ErrorResponse) in play.set(values["outcome"], to: try play.bindKey(values)) },
    object("verifyKey", ["jws", "clientError"], variables: ["outcome"]) { play, values in
      play.set(values["outcome"], to: play.verifyKey(values))
    },
  ]
}

extension FlowPlay {
  private static let (success, failure, ask) = ("success", "failure", "ask")

  fileprivate func set(_ variable: String?, to text: String) {
    if let variable { variables[variable] = .string(text) }
  }

  /// Returns the devices with keys that a user has bound.
  private func keys(of user: ID<PlatformUser>?) -> [AMFactor] {
    user.map { tenant.factors(of: $0, .binding, in: realm) } ?? []
  }

  fileprivate func hasRoom(_ limit: String?) -> Bool {
    limit.flatMap { Int($0) }.map { keys(of: user).count < $0 } ?? true
  }

  fileprivate func bindKey(_ values: FlowValues) throws(ErrorResponse) -> String {
    let user = try signedOnUser().id
    guard hasRoom(values["limit"]) else { return "exceedDeviceLimit" }
    guard let text = values["jws"], let deviceID = values["deviceId"] else {
      return values["clientError"] ?? Self.ask
    }
    // Like AM, do not check the subject of the token here.
    guard let proof = KeyProof(text), let jwk = proof.header.jwk, claims(of: proof, by: jwk) != nil else {
      return Self.failure
    }
    let name = values["deviceName"] ?? "New Device"
    var factor = AMFactor(.random(), of: user, in: realm, named: name, at: tenant.clock.now)
    factor.key = DeviceKey(deviceID: deviceID, jwk: jwk.text)
    tenant.factors.put(factor)
    return Self.success
  }

  /// Verifies a token with a bound key, and signs on the owner of the key if no user has signed on yet.
  fileprivate func verifyKey(_ values: FlowValues) -> String {
    guard let text = values["jws"] else { return values["clientError"] ?? Self.ask }
    guard let proof = KeyProof(text) else { return Self.failure }
    let known =
      user == nil
      ? tenant.factors.all.filter { $0.kind == .binding && $0.realm == realm } : keys(of: user)
    guard !known.isEmpty else { return "noDeviceRegistered" }
    guard var factor = known.first(where: { $0.key?.id == proof.header.keyID }) else { return "keyNotFound" }
    guard let owner = tenant.users[factor.user], let claims = claims(of: proof, by: factor.key?.json),
      claims["sub"]?.string == tenant.universalID(of: owner, in: realm)
    else { return Self.failure }
    factor.usedAt = tenant.clock.now
    tenant.factors.put(factor)
    user = owner.id
    return Self.success
  }

  private func claims(of proof: KeyProof, by key: JSON?) -> JSONObject? {
    proof.claims(
      by: key,
      challenge: keyChallenge ?? "",
      isIssuer: { tenant.application.isApp($0) },
      at: tenant.clock.passcodeTime
    )
  }
}
