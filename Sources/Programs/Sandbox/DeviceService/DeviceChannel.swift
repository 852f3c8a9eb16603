import EventLoop
import HTTPServer
import JOSE
import JSON
import Time

/// Processes an encrypted request of a device and returns the encrypted response.
///
/// Until the sender and the response key are verified, errors are unencrypted responses with their own HTTP
/// status. Devices treat such a response as a transport failure.
@EventLoop
struct DeviceChannel {
  nonisolated static let base = "/device/v1"

  private static let table = RouteTable<DeviceEndpoint>(
    TrustRoutes.routes + KeyRotationRoutes.routes + PushChannelRoutes.routes + PairingRoutes.routes
      + AccountRoutes.routes + NotificationRoutes.routes + PollRoutes.routes + DecisionRoutes.routes
      + DeviceCodeRoutes.routes
  )

  let tenant: Tenant

  func respond(to request: HTTPRequest) async -> HTTPResponse {
    do throws(ErrorResponse) {
      let proof = try RequestProof(request)
      let sealed = try SealedRequest(request, platformKey: tenant.platformKey)
      let outcome = try await proved(proof, sealed, request)
      return outcome.response(to: proof, answerKey: sealed.answerKey, tenant: tenant)
    } catch { return error.response }
  }

  /// Verifies the proof and runs the request.
  ///
  /// Thrown errors are sent unencrypted, since the sender is not verified. Other errors are in the result.
  private func proved(_ proof: RequestProof, _ sealed: SealedRequest, _ request: HTTPRequest)
    async throws(ErrorResponse) -> SealedResponse
  {
    let device = tenant.trustedDevice(withKey: proof.keyThumbprint)
    let known = device.flatMap { $0.keys(named: proof.keyThumbprint)?.device }
    // Sign and encrypt the error about an unknown key, so that the device can trust it.
    guard let key = known ?? proof.key else { return SealedResponse(.deviceUnknown) }
    let made = try proof.verify(with: key, device: device?.id, request, sealed, platform: tenant.url)
    let now = tenant.clock.now
    guard abs(now.seconds - made.seconds) <= RequestProof.maximumSkew else {
      return SealedResponse(.clockSkew(serverTime: now))
    }
    let end = made.adding(seconds: 2 * RequestProof.maximumSkew)
    guard tenant.replays.use("proof \(proof.keyThumbprint) \(proof.claimedID)", until: end, now: now) else {
      throw .invalidProof("was used before")
    }
    tenant.completeRotation(of: device, by: proof.keyThumbprint)
    do { return try await run(proof, sealed, request, key) } catch { return SealedResponse(error) }
  }

  private func run(_ proof: RequestProof, _ sealed: SealedRequest, _ request: HTTPRequest, _ key: JWK)
    async throws(ErrorResponse) -> SealedResponse
  {
    switch Self.table.match(method: request.method, path: request.path, mediaType: nil) {
    case .notFound: throw .notFound
    case .methodNotAllowed: throw .methodNotAllowed
    case .unsupportedMediaType: throw .unsupportedMediaType
    case .found(let endpoint, let parameters):
      let device = tenant.trustedDevice(withKey: proof.keyThumbprint)
      guard device != nil || endpoint.admitsNewcomers else { throw .deviceUnknown }
      let call = Call(tenant: tenant, request: request, parameters: parameters)
      return try await endpoint.run(
        ProvenCall(call: call, key: key, device: device, proofID: proof.claimedID, body: sealed.body)
      )
    }
  }
}

extension TrustedDevice {
  func keys(named thumbprint: String) -> DeviceKeys? {
    if keys.device.thumbprint == thumbprint { return keys }
    return nextKeys?.device.thumbprint == thumbprint ? nextKeys : nil
  }
}

extension Tenant {
  func trustedDevice(withKey thumbprint: String) -> TrustedDevice? {
    trustedDevices.all(by: thumbprint).first
  }

  fileprivate func completeRotation(of device: TrustedDevice?, by thumbprint: String) {
    guard var device, let next = device.nextKeys, next.device.thumbprint == thumbprint else { return }
    device.keys = next
    device.nextKeys = nil
    trustedDevices.put(device)
  }
}

@EventLoop
struct ProvenCall {
  let call: Call
  /// Device key that signed the proof of the request.
  let key: JWK
  let device: TrustedDevice?
  /// Identifier of the proof.
  let proofID: String
  let body: Members

  var tenant: Tenant { call.tenant }

  func id<Kind>(_ name: String, of kind: Kind.Type) -> ID<Kind> { call.id(name, of: kind) }

  /// Returns the sender; throws if the device is unknown.
  func sender() throws(ErrorResponse) -> TrustedDevice {
    guard let device else { throw .deviceUnknown }
    return device
  }
}

struct DeviceEndpoint: Sendable {
  typealias Run = @EventLoop @Sendable (ProvenCall) async throws(ErrorResponse) -> SealedResponse

  /// True if unknown devices may use the endpoint.
  let admitsNewcomers: Bool
  let run: Run
}

extension Route where Endpoint == DeviceEndpoint {
  /// Returns a route for trusted devices, or with `admitsNewcomers` also for unknown ones.
  ///
  /// The pattern follows `/device/v1`.
  static func device(
    _ method: String,
    _ pattern: String,
    admitsNewcomers: Bool = false,
    _ run: @escaping DeviceEndpoint.Run
  ) -> Route {
    let endpoint = DeviceEndpoint(admitsNewcomers: admitsNewcomers, run: run)
    return Route(method, DeviceChannel.base + pattern, endpoint)
  }
}
