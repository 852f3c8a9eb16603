internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import OpenSSL
internal import WebAddress

/// One call of the device service before it is protected.
struct DeviceCall {
  let method: CourierRequest.Method
  /// The path below `/device/v1`; its parts have been checked to be ids.
  let path: String
  var query: [(String, String)] = []
  /// The body; `nil` for calls that have none.
  var body: JSONObject?
  var timeout = Duration.seconds(30)
  var urgency = CourierRequest.Turn.Urgency.ordinary
  /// The id of its proof, when something within is proven by it; else a fresh one.
  var id: String?
  /// Whether it may still be sent once more.
  var isInTime: @EventLoop () -> Bool = { true }
}

/// A call as it leaves: encrypted to the platform, proven by the device, with a key for its answer alone.
struct SealedCall {
  let request: CourierRequest
  let expected: Expected

  /// What tells its response from all others.
  struct Expected {
    /// The key that it comes encrypted to.
    let key: PrivateKey
    /// The id of the request's proof.
    let id: String
    /// The thumbprint of the device key that proved it.
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
        // Without a body the key travels in a header, which the proof covers.
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
      request.turn = CourierRequest.Turn(call.urgency, of: credentials.identity.owner)
      self.request = request
      expected = Expected(key: answerKey, id: id, device: keys.deviceThumbprint)
    } catch { throw .failed(.notPlatform) }
  }
}

/// The proof that a request comes from a device, a JWS after the manner of DPoP, RFC 9449 section 4.
struct DeviceProof {
  /// The compact JWS for the `Device-Proof` header.
  let text: String

  /// What the response repeats.
  static func freshID() throws -> String { Base64URL.encode(try randomBytes(16)) }

  /// A proof of that id for one request; the device's first carries its key, later ones its thumbprint.
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
