internal import Configuration
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import OpenSSL
internal import Text

extension DeviceService {
  /// POST /trust, encrypted to the platform's key, which is fetched and verified first.
  ///
  /// The fetched keys are used only for this call until the platform has proven that it holds them. Another
  /// owner's attempt may store keys of the platform meanwhile.
  public func trust(_ credentials: DeviceCredentials) async throws(PlatformError) -> PlatformTrust {
    let announcement = try await fetchKeys(of: credentials.platform)
    let trust = try await introduce(credentials, try keySet(announcement, of: credentials.platform))
    // Verify again: the stored keys may have changed during the call.
    _ = try keySet(announcement, of: credentials.platform)
    return trust
  }

  private func introduce(
    _ credentials: DeviceCredentials,
    _ keySet: PlatformKeySet
  ) async throws(PlatformError) -> PlatformTrust {
    let answer: PrivateKey
    do { answer = try credentials.keys.answer } catch { throw .refused(error) }
    let body: JSONObject = [
      "geo": .string(credentials.identity.geography.rawValue),
      "deviceJwk": JWK(credentials.keys.device.publicKey).json,
      "answerJwk": JWK(answer.publicKey).json,
      "device": [
        "name": .string(description.name), "os": "Linux", "osVersion": .string(description.osVersion),
        "appId": .string(description.applicationID), "version": .string(description.version),
      ],
    ]
    let call = DeviceCall(method: .post, path: "/trust", body: body)
    let response = try await send(call, as: credentials, to: keySet.keys)
    if (400..<500).contains(response.status) { throw ErrorMapping.refusal(response, else: .trustFailed) }
    let content = try response.succeeded()
    guard let deviceID = content["deviceId"]?.string, deviceID.isIdentifier else { throw .failed(.malformed) }
    return PlatformTrust(
      deviceID: deviceID,
      platformKeys: keySet,
      issuers: content["issuers"]?.array?.prefix(16).compactMap(\.string) ?? []
    )
  }
}

extension DeviceService {
  /// POST /keys; each new key signs its thumbprint and the device ID.
  public func rotateKeys(
    _ credentials: DeviceCredentials,
    to next: IdentityKeys,
    provenBy keys: IdentityKeys
  ) async throws(PlatformError) {
    let answer: PrivateKey
    do { answer = try next.answer } catch { throw .failed(.notPlatform) }
    let body: JSONObject = [
      "deviceJwk": JWK(next.device.publicKey).json, "answerJwk": JWK(answer.publicKey).json,
      "proofs": [
        "device": .string(try Self.possession(of: next.device, credentials)),
        "answer": .string(try Self.possession(of: answer, credentials)),
      ],
    ]
    let call = DeviceCall(method: .post, path: "/keys", body: body)
    _ = try await send(call, as: credentials, provenBy: keys).succeeded()
  }

  /// Returns a JWS that proves the possession of a new key.
  private static func possession(
    of key: PrivateKey,
    _ credentials: DeviceCredentials
  ) throws(PlatformError) -> String {
    let thumbprint = JWK(key.publicKey).thumbprint
    let claims: JSON = ["sub": .string(credentials.identity.deviceID ?? ""), "jkt": .string(thumbprint)]
    do {
      return try CompactJWS.sign(
        payload: claims.serialized,
        type: "key-rotation+jwt",
        keyID: thumbprint,
        with: key,
        algorithm: .es256
      )
    } catch { throw .failed(.malformed) }
  }
}
