internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import OpenSSL

extension DeviceService {
  /// POST /keys; each new key signs what it is and whose.
  package func rotateKeys(
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

  /// A JWS that only the holder of a new key can make.
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
