import EventLoop
import HTTPServer
import Journal

@EventLoop
final class Dispatcher {
  /// The state that requests act on.
  ///
  /// `nil` until the server knows its own URL, and after `close()`; requests then get status 503.
  var tenant: Tenant?

  static let routes: [Route<Endpoint>] =
    EnvironmentRoutes.routes + SettingsRoutes.routes + UserRoutes.routes + PairingKeyRoutes.routes
    + DeviceOrderRoutes.routes
    + DeviceRoutes.routes
    + PlatformKeys.routes + DeviceAuthenticationStart.routes + DeviceAuthenticationRoutes.routes
    + AuthenticationCodeRoutes.routes + OIDCRoutes.routes + SignOnRoutes.routes
    + ExternalAuthentication.routes + DaVinciRoutes.routes + JourneyRoutes.routes + PushMessageRoutes.routes
    + FactorRoutes.routes + AMControls.routes + ControlRoutes.routes
    + DeviceControls.routes + SignOnControls.routes + ConsoleSection.routes

  private static let table = RouteTable(routes)

  private var archive: Archive?

  init(archive: Archive?) { self.archive = archive }

  /// Releases the tenant and the archive; later requests get status 503.
  func close() {
    tenant = nil
    archive = nil
  }

  func reply(to request: HTTPRequest) async -> HTTPReply {
    guard let tenant else { return .response(HTTPResponse(status: 503)) }
    var losesReply = false
    if !Self.isExempt(request.path),
      let fault = tenant.faults.next(for: request.path, request.method)
    {
      switch fault {
      case .status(let status):
        return .response(ErrorResponse(status, "SANDBOX_FAULT", "A fault was asked for.").response)
      case .delay(let milliseconds):
        // A client that has disconnected needs no response.
        guard (try? await EventLoop.sleep(for: .milliseconds(milliseconds))) != nil else {
          return .dropConnection
        }
      case .dropConnection: return .dropConnection
      case .loseReply: losesReply = true
      case .garbageBody: return .response(.garbage)
      case .garbageBytes: return .rawBytes(HTTPResponse.garbage.body)
      }
    }
    tenant.settleExpired()
    let response = await respond(to: request, tenant)
    // Save the state before the response is sent.
    do { try archive.map { try tenant.save(to: $0) } } catch {
      Journal.error("the state cannot be kept", ["error": "\(error)"])
      return .response(ErrorResponse.unexpected.response)
    }
    if losesReply { return .dropConnection }
    let skew = tenant.clock.skew
    return .response(skew == 0 ? response : response.with("Date", tenant.clock.passcodeTime.httpDate))
  }

  private func respond(to request: HTTPRequest, _ tenant: Tenant) async -> HTTPResponse {
    let match = Self.table.match(
      method: request.method,
      path: request.path,
      mediaType: request.headers.mediaType
    )
    switch match {
    case .found(let endpoint, let parameters):
      let call = Call(tenant: tenant, request: request, parameters: parameters)
      do {
        return try await Self.run(endpoint, call).accepted(by: request.headers["accept"])
      } catch { return error.response }
    case .methodNotAllowed(let methods):
      return ErrorResponse.methodNotAllowed.response.with("Allow", methods.joined(separator: ", "))
    case .unsupportedMediaType: return ErrorResponse.unsupportedMediaType.response
    case .notFound:
      guard request.path.hasPrefix(DeviceChannel.base + "/") else { return ErrorResponse.notFound.response }
      return await DeviceChannel(tenant: tenant).respond(to: request)
    }
  }

  /// Returns the response to a request that the sandbox itself makes.
  static func response(to request: HTTPRequest, _ tenant: Tenant) async throws(ErrorResponse) -> HTTPResponse
  {
    let match = table.match(method: request.method, path: request.path, mediaType: request.headers.mediaType)
    guard case .found(let endpoint, let parameters) = match else { throw .notFound }
    return try await run(endpoint, Call(tenant: tenant, request: request, parameters: parameters))
  }

  /// True for paths of the controls and the console, which stay usable because faults do not affect them.
  static func isExempt(_ path: some StringProtocol) -> Bool {
    [ControlRoutes.base, ConsoleSection.base].contains { path.hasPrefix($0) }
  }

  private static func run(_ endpoint: Endpoint, _ call: Call) async throws(ErrorResponse) -> HTTPResponse {
    guard call.request.query != nil else { throw .invalidRequest("The query is malformed.") }
    try call.require(endpoint.access)
    if let environment = call.parameters["environment"] {
      guard environment == call.tenant.environment.id.text else { throw .notFound }
    }
    return try await endpoint.run(call)
  }
}

extension HTTPResponse {
  /// A response body that no client can parse.
  fileprivate static let garbage =
    content("application/json", [0x7B, 0xFF, 0x00, 0x22, 0xC3, 0x28, 0x7D, 0x0A])
}
