internal import ControlAPI
internal import CourierLink
internal import CourierProtocol
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import OpenSSL
internal import Text
internal import Time
internal import WebAddress

/// Carries the requests of one sign-on: to one origin only, with the cookies and the language of the sign-on.
@EventLoop
final class SignOnTransport {
  /// Where requests may go.
  let origin: Origin
  /// What the server asked to send back.
  var cookies: CookieJar
  /// The language to be asked in.
  let acceptLanguage: String?

  /// When the last request was sent.
  private(set) var sentAt: Timestamp
  /// Whether the server may have taken the last request, whatever came of it.
  private(set) var mayHaveArrived = false
  /// Whether the sign-on is over, after which nothing is sent and nothing is taken.
  private var isClosed = false

  private let courier: CourierClient
  private let time: TimeSource

  private let owner: uid_t

  init(
    _ courier: CourierClient,
    origin: Origin,
    owner: uid_t,
    acceptLanguage: String?,
    time: TimeSource
  ) {
    (self.courier, self.origin, self.acceptLanguage) = (courier, origin, acceptLanguage)
    self.owner = owner
    self.time = time
    sentAt = time.now()
    cookies = CookieJar(origin: origin)
  }

  /// Sends a request and returns the response, whatever its status.
  ///
  /// Throws a `SignOnFailure` for what must not be sent or cannot be read, and an `RPCError` if no response came, so that
  /// the same can be tried again, or if the sign-on is over: what comes late must not lead to anything.
  func send(
    _ method: CourierRequest.Method,
    _ url: WebURL,
    headers: [CourierHeader] = [],
    body: [UInt8] = []
  ) async throws -> CourierResponse {
    mayHaveArrived = false
    guard url.origin == origin else { throw SignOnFailure.foreignLink }
    guard !isClosed else { throw RPCError.expired }
    var headers = headers
    headers.append(CourierHeader("Accept", "application/json"))
    if let acceptLanguage { headers.append(CourierHeader("Accept-Language", acceptLanguage)) }
    if let cookies = cookies.field(for: url) { headers.append(CourierHeader("Cookie", cookies)) }
    sentAt = time.now()
    mayHaveArrived = true
    var request = CourierRequest(method, url, headers: headers, body: body)
    request.turn = CourierRequest.Turn(of: owner)
    let response: CourierResponse
    do { response = try await courier.send(request) } catch {
      mayHaveArrived = error.mayHaveArrived
      switch error {
      case .tooLarge: throw SignOnFailure.tooLarge
      case .malformed: throw SignOnFailure.malformed
      default: throw error.issuerError(at: url.origin)
      }
    }
    guard !isClosed else { throw RPCError.expired }
    for cookie in response.values(of: "Set-Cookie") {
      cookies.take(cookie, from: url, now: time.now())
    }
    return response
  }

  /// Lets nothing pass any more.
  func close() { isClosed = true }

  /// Another one with the same cookies, for what has to be ended at the server though the sign-on is over.
  func reopened() -> SignOnTransport {
    let transport = SignOnTransport(
      courier,
      origin: origin,
      owner: owner,
      acceptLanguage: acceptLanguage,
      time: time
    )
    transport.cookies = cookies
    return transport
  }

  /// Has the courier wait for the redirect that ends a sign-on in a browser, which may take as long as a sign-on.
  ///
  /// The courier learns by what it knows the redirect, and not the `state` itself.
  func listen(path: String, state: String, owner: uid_t) async throws -> CourierListener {
    guard courier.hasListener(for: owner) else {
      throw RPCError.quota(CourierLimits.maximumListenersPerOwner, "sign-ons in a browser")
    }
    let digest = try digest(Array(state.utf8), .sha256)
    let redirect = ExpectedRedirect(path: path, stateDigest: digest, timeout: Login.lifetime)
    return try await courier.listen(for: redirect, of: owner)
  }

  /// Sends a form and returns the response, whatever its status.
  func post(form: [(String, String)], to url: WebURL) async throws -> CourierResponse {
    let type = CourierHeader("Content-Type", "application/x-www-form-urlencoded")
    return try await send(.post, url, headers: [type], body: Array(FormEncoding.encode(form).utf8))
  }
}

extension CourierResponse {
  /// The most bytes of a document: what is shown of one has to fit into a reply, also where it is shown twice.
  static let largestDocument = 256 * 1024

  /// The body as a JSON object; what is none ends a sign-on.
  var document: JSON {
    get throws {
      guard body.count <= Self.largestDocument else { throw SignOnFailure.tooLarge }
      guard let json = try? JSON(parsing: body), json.object != nil else { throw SignOnFailure.notJSON }
      return json
    }
  }
}

/// The language that pages are asked for in, RFC 9110 section 12.5.4.
enum AcceptLanguage {
  /// The field for a locale, with the bare language behind it: `en-GB` as `en-GB, en;q=0.9`; `nil` for no language.
  ///
  /// A list with weights stands as it is.
  static func field(_ locale: String) -> String? {
    guard locale.utf8.allSatisfy(isAllowed) else { return nil }
    if locale.contains(";") || locale.contains(",") { return locale }
    // POSIX writes en_GB.UTF-8@euro.
    let tag = String(locale.prefix { $0 != "." && $0 != "@" }.map { $0 == "_" ? "-" : $0 })
    guard tag.first?.isLetter == true, tag != "C", tag != "POSIX" else { return nil }
    let language = tag.prefix { $0 != "-" }
    return language.count == tag.count ? tag : "\(tag), \(language);q=0.9"
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "-_,;=.*@ ".utf8.contains(byte)
  }
}
