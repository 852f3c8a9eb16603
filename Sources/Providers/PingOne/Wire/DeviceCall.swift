internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import OpenSSL
internal import WebAddress

/// One call of the device service before encryption and proof.
struct DeviceCall {
  let method: CourierRequest.Method
  /// The path below `/device/v1`; its variable parts must be validated IDs.
  let path: String
  var query: [(String, String)] = []
  /// The body; `nil` for calls without one.
  var body: JSONObject?
  var timeout = Duration.seconds(30)
  var urgency = CourierRequest.Priority.Urgency.ordinary
  /// The ID of the call's proof if the body already contains this ID; `nil` to create a new ID.
  var id: String?
  /// True if the call may still be repeated.
  var isInTime: @EventLoop () -> Bool = { true }
}

/// A call ready to send: encrypted to the platform, proven by the device, with a single-use key for its
/// response.
struct SealedCall {
  let request: CourierRequest
  let expected: Expected

  /// The key that decrypts the response, and the IDs that the response must contain.
  struct Expected {
    /// The key that the response is encrypted to.
    let key: PrivateKey
    /// The ID of the request's proof.
    let id: String
    /// The thumbprint of the proving device key.
    let device: String
  }

  private static let encryptedType = "device-request+jwe"

  @EventLoop
  init(
    _ call: DeviceCall,
    as credentials: DeviceCredentials,
    provenBy keys: IdentityKeys,
    to platformKeys: [JWK]? = nil,
    now: Int
  ) throws(PlatformError) {
    guard let platformKey = (platformKeys ?? credentials.platform.keys).first,
      let url = credentials.platform.url.appending(path: "/device/v1" + call.path)?.appending(
        query: call.query
      )
    else { throw .failed(.notPlatform) }
    do {
      let id = try call.id ?? DeviceProof.freshID()
      let answerKey = try PrivateKey.generateP256()
      let answerJWK = JWK(answerKey.publicKey).json
      var headers = [CourierHeader("Content-Type", "application/jose")]
      var body: [UInt8] = []
      var answerKeyHeader: String?
      if let content = call.body {
        let plaintext: JSON = ["answerKey": answerJWK, "body": .object(content)]
        body = Array(
          try CompactJWE.encrypt(plaintext.serialized, to: platformKey, type: Self.encryptedType, keyID: nil)
            .utf8
        )
      } else {
        // Without a body, the response key is in a header. The proof contains the hash of the header.
        let header = Base64URL.encode(answerJWK.serialized)
        headers = [CourierHeader("Device-Answer-Key", header)]
        answerKeyHeader = header
      }
      let proof = try DeviceProof(
        id,
        by: keys,
        device: credentials.identity.deviceID,
        method: call.method.rawValue,
        url: url.text,
        body: body,
        answerKeyHeader: answerKeyHeader,
        issuedAt: now
      )
      headers.append(CourierHeader("Device-Proof", proof.text))
      var request = CourierRequest(call.method, url, headers: headers, body: body, timeout: call.timeout)
      request.priority = CourierRequest.Priority(call.urgency, of: credentials.identity.owner)
      self.request = request
      expected = Expected(key: answerKey, id: id, device: keys.deviceThumbprint)
    } catch { throw .failed(.notPlatform) }
  }
}

/// The proof that a request comes from a device, a JWS similar to DPoP, RFC 9449 section 4.
struct DeviceProof {
  /// The compact JWS for the `Device-Proof` header.
  let text: String

  /// Returns a new proof ID, which the response repeats.
  static func freshID() throws -> String { Base64URL.encode(try randomBytes(16)) }

  /// Creates the proof of one request.
  ///
  /// It contains the device's public key until the platform has assigned a device ID, then only the
  /// thumbprint of the key.
  init(
    _ id: String,
    by keys: IdentityKeys,
    device: String?,
    method: String,
    url: String,
    body: [UInt8],
    answerKeyHeader: String?,
    issuedAt: Int
  ) throws {
    var claims: JSONObject = [
      "htm": .string(method), "htu": .string(url), "iat": .int(issuedAt), "jti": .string(id),
      "bh": .string(Base64URL.encode(try digest(body, .sha256))),
    ]
    claims["sub"] = device.map { .string($0) }
    claims["ak"] = try answerKeyHeader.map { .string(Base64URL.encode(try digest(Array($0.utf8), .sha256))) }
    text = try CompactJWS.sign(
      payload: JSON.object(claims).serialized,
      type: "device-proof+jwt",
      keyID: device == nil ? nil : keys.deviceThumbprint,
      extraHeader: device == nil ? ["jwk": JWK(keys.device.publicKey).json] : [:],
      with: keys.device,
      algorithm: .es256
    )
  }
}
