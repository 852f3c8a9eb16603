internal import Accounts
internal import Configuration
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import OATH
internal import OpenSSL
internal import Text

extension DeviceService {
  public func pair(_ credentials: DeviceCredentials, key: String) async throws(PlatformError)
    -> PlatformPairing
  {
    let call = DeviceCall(method: .post, path: "/pairings", body: ["pairingKey": .string(key)])
    let response = try await send(call, as: credentials)
    if response.status == 421, let geography = response.body["geo"]?.string.flatMap(Geography.init(rawValue:))
    {
      throw .elsewhere(geography)
    }
    let body = try response.succeeded()
    guard let id = body["pairingId"]?.string, id.isIdentifier,
      let environment = body["environment"]?["id"]?.string, environment.isIdentifier,
      let user = body["user"].flatMap({ User(platform: $0) })
    else { throw .failed(.malformed) }
    let authenticators = (body["authenticators"]?.array ?? []).prefix(8).compactMap(Self.authenticator)
    var oath: OATHSecret?
    if let description = body["oath"] {
      guard let read = Self.oath(description) else { throw .failed(.malformed) }
      oath = read
    }
    return PlatformPairing(
      id: id,
      user: user,
      environment: environment,
      authenticators: authenticators,
      oath: oath,
      wantsNickname: body["policy"]?["promptForNicknameOnPairing"] == true
    )
  }

  /// POST /pairings/{id}/otp.
  public func checkPasscode(
    _ credentials: DeviceCredentials,
    pairing: String,
    passcode: String
  ) async throws(PlatformError) -> String? {
    let call = DeviceCall(method: .post, path: "/pairings/\(pairing)/otp", body: ["otp": .string(passcode)])
    let response = try await send(call, as: credentials)
    if let code = response.body["code"]?.string, ErrorMapping.passcodeOutcomes.contains(code) { return code }
    _ = try response.succeeded()
    return nil
  }

  /// Parses an authenticator with the status COMPLETED or FAILED; returns `nil` for any other status.
  ///
  /// For example, the passcode authenticator has another status until the first passcode check.
  private static func authenticator(_ json: JSON) -> PairedAuthenticator? {
    guard let type = json["type"]?.string, ["PUSH", "OTP"].contains(type),
      let status = json["status"]?.string,
      ["COMPLETED", "FAILED"].contains(status)
    else { return nil }
    return PairedAuthenticator(
      type: type,
      status: status,
      errorCode: json["errorCode"]?.string.map { DisplayText.clean($0) },
      errorMessage: json["errorMessage"]?.string.map { DisplayText.clean($0) }
    )
  }

  private static func oath(_ json: JSON) -> OATHSecret? {
    let algorithms: [String: HashAlgorithm] = ["SHA1": .sha1, "SHA256": .sha256, "SHA512": .sha512]
    guard let algorithm = algorithms[json["algorithm"]?.string ?? "SHA1"],
      let digits = (json["digits"] ?? 6).int, (6...8).contains(digits),
      let period = (json["period"] ?? 30).int, (15...120).contains(period),
      let secret = json["secret"]?.string.flatMap(Secret.init(base32:)), secret.count >= 10
    else { return nil }
    return OATHSecret(
      secret: secret,
      algorithm: algorithm,
      digits: digits,
      moving: .time(period: period)
    )
  }
}

extension DeviceService {
  /// PUT /users/{userId}/nickname.
  public func setNickname(
    _ credentials: DeviceCredentials,
    user: String,
    _ nickname: String
  ) async throws(PlatformError) {
    let call = DeviceCall(
      method: .put,
      path: "/users/\(user)/nickname",
      body: ["nickname": .string(nickname)]
    )
    _ = try await send(call, as: credentials).succeeded()
  }

  /// DELETE /users/{userId}; succeeds if the platform has already unpaired the user.
  public func unpair(_ credentials: DeviceCredentials, user: String) async throws(PlatformError) {
    let response = try await send(DeviceCall(method: .delete, path: "/users/\(user)"), as: credentials)
    if response.status == 404 { return }
    _ = try response.succeeded()
  }
}
