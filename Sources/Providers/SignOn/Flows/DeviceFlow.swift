internal import Configuration
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import OpenIDConnect
internal import Text
internal import Time
internal import WebAddress

/// A sign-on in a browser on any device, in which the user types a code: RFC 8628.
@EventLoop
final class DeviceFlow: SignOnFlow {
  private let login: Login
  private var grant: DeviceGrant?
  /// Earliest uptime of the next poll; kept between calls of `next`.
  ///
  /// The server lengthens the interval after each early poll.
  private var nextQuestion = Duration.zero
  private var backOff = PollBackOff()

  private static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
  /// Added to the interval after the error `slow_down`, RFC 8628 section 3.5.
  private static let slowDown = Duration.seconds(5)

  let method = LoginMethod.device

  init(_ login: Login) throws { self.login = login }

  func start() async throws -> Step {
    let client = try login.requireClient()
    let endpoint = try client.require(.deviceAuthorization)
    let form = [("client_id", client.clientID), ("scope", client.scope)]
    let response = try await login.transport.post(form: form, to: endpoint)
    if response.status >= 500 { throw SignOnFailure.serverError }
    if response.status != 200, let error = OAuthError(response) {
      throw SignOnFailure.refused(error)
    }
    guard response.status == 200 else { throw SignOnFailure.malformed }
    let allowsLoopback = login.configuration.allowsLoopbackHTTP
    let grant = try DeviceGrant(
      response.document,
      now: login.time.uptime(),
      allowsLoopbackHTTP: allowsLoopback
    )
    self.grant = grant
    nextQuestion = login.time.uptime() + grant.interval
    return .page(Self.page(grant))
  }

  func next(_ input: StepInput) async throws -> Step {
    guard let grant else { throw RPCError.conflict }
    try input.requireNone()
    var waited = Duration.zero
    while waited < AsyncMutex.longestWait {
      let rest = max(nextQuestion - login.time.uptime(), backOff.rest(login.time))
      let pause = min(rest, AsyncMutex.longestWait - waited)
      guard await login.mutex.wait(for: pause) else { break }
      waited += pause
      guard login.time.uptime() < grant.end else { throw Self.expired }
      guard pause == rest else { break }
      nextQuestion = login.time.uptime() + (self.grant?.interval ?? grant.interval)
      if let tokens = try await ask(grant) { return .done(tokens) }
    }
    return .page(Self.page(grant))
  }

  /// Requests the tokens; `nil` until the user has signed on.
  ///
  /// Checks only the error code of a 4xx response, because servers use different HTTP statuses.
  /// A response without a known code that only postpones the poll does not end the sign-on, RFC 8628
  /// section 3.5.
  private func ask(_ grant: DeviceGrant) async throws -> Tokens? {
    let client = try login.requireClient()
    let response = try await client.tokenResponse([
      ("grant_type", Self.grantType), ("device_code", grant.deviceCode), ("client_id", client.clientID),
    ])
    let isPostponed = backOff.postpones(after: response, login.time)
    do { return try client.tokens(in: response) } catch let error as OAuthError {
      switch error.code {
      case "authorization_pending": return nil
      case "slow_down":
        self.grant?.interval += Self.slowDown
        nextQuestion += Self.slowDown
        return nil
      case "expired_token": throw Self.expired
      case _ where isPostponed && !error.isDenial: return nil
      default: throw SignOnFailure.refused(error)
      }
    } catch  where isPostponed { return nil }
  }

  private static let expired = SignOnFailure("EXPIRED", "nobody signed on in time")

  private static func page(_ grant: DeviceGrant) -> SignOnPage {
    var page = SignOnPage()
    page.title = "Sign on in a browser"
    page.browserURL = grant.address
    var code = Collector(key: "user_code", type: "LabelCollector", label: "Code")
    code.value = .string(grant.userCode)
    page.collectors = [
      code, Collector(key: "device", type: "PollingCollector", label: "Waiting for the browser"),
    ]
    page.message = "this method signs on but cannot pair this machine"
    return page
  }
}

/// The response of a device authorization endpoint, RFC 8628 section 3.2.
struct DeviceGrant: Sendable {
  let deviceCode: String
  let userCode: String
  /// The URL that the user opens.
  let address: String
  /// Minimum time between two polls.
  var interval: Duration
  /// Uptime, including suspend time, at which the grant expires.
  let end: Duration

  private static let longestText = 8192

  init(_ json: JSON, now: Duration, allowsLoopbackHTTP: Bool) throws(SignOnFailure) {
    guard let deviceCode = json["device_code"]?.string, deviceCode.utf8.count <= Self.longestText,
      let userCode = json["user_code"]?.string,
      (1...64).contains(userCode.utf8.count),
      let text = (json["verification_uri_complete"] ?? json["verification_uri"] ?? json["verification_url"])?
        .string,
      text.utf8.count <= Self.longestText, let url = WebURL(text),
      url.origin.scheme == .https || (allowsLoopbackHTTP && url.origin.isLoopback)
    else { throw .malformed }
    (self.deviceCode, self.userCode, address) = (deviceCode, DisplayText.clean(userCode), url.text)
    interval = .seconds(min(max(json["interval"]?.int ?? 5, 1), 60))
    end = now + .seconds(min(max(json["expires_in"]?.int ?? 600, 1), 3600))
  }
}
