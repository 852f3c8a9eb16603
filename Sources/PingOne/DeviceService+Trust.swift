package import Authenticator
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import OpenSSL
internal import Configuration

extension DeviceService {
  /// POST /trust, encrypted to the platform's key, which is fetched and checked first.
  package func trust(_ identity: Identity) async throws(PlatformError) -> PlatformTrust {
    let keySet = try await fetchKeys(of: identity.platform)
    let known = (identity.platform.keys, identity.platform.keysVersion)
    identity.platform.adopt(keySet.keys, version: keySet.version)
    do { return try await introduce(identity, keySet) } catch {
      // Keys of a platform that does not prove itself are not kept.
      identity.platform.adopt(known.0, version: known.1)
      throw error
    }
  }

  private func introduce(
    _ identity: Identity,
    _ keySet: PlatformKeySet
  ) async throws(PlatformError) -> PlatformTrust {
    let body: JSONObject = [
      "geo": .string(identity.geography.rawValue), "deviceJwk": JWK(identity.keys.device.publicKey).json,
      "answerJwk": JWK(identity.keys.answer.publicKey).json,
      "device": [
        "name": .string(description.name), "os": "Linux", "osVersion": .string(description.osVersion),
        "appId": .string(description.applicationID), "version": .string(description.version),
      ],
    ]
    let answer = try await send(DeviceCall(method: .post, path: "/trust", body: body), as: identity)
    if (400..<500).contains(answer.status) {
      let refusal = ErrorMapping.refusal(answer)
      throw refusal == .refused(.serverError) ? .refused(.trustFailed) : refusal
    }
    let content = try answer.succeeded()
    guard let deviceID = content["deviceId"]?.string, PlatformID.isValid(deviceID) else { throw .failed }
    return PlatformTrust(
      deviceID: deviceID,
      keys: keySet.keys,
      keysVersion: keySet.version,
      issuers: content["issuers"]?.array?.prefix(16).compactMap(\.string) ?? []
    )
  }
}
