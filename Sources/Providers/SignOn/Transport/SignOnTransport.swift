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

/// Sends the requests of one sign-on, to one origin only, with the cookies and the language of the sign-on.
@EventLoop
final class SignOnTransport {
  /// The only origin that requests may go to.
  let origin: Origin
  /// The cookies that the server set.
  var cookies: CookieJar
  /// The value of `Accept-Language`.
  let acceptLanguage: String?

  /// Time when the last request was sent.
  private(set) var sentAt: Timestamp
  /// True if the server may have received the last request, even if `send` threw an error.
  private(set) var mayHaveArrived = false
  /// True after the sign-on ended; `send` then throws `expired`.
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

  /// Sends a request and returns the response with any status.
  ///
  /// Throws a `SignOnFailure` for a forbidden URL or an unreadable response. Throws an `RPCError` if no
  /// response came; the caller may then retry. Throws `expired` if the sign-on has ended: a late response
  /// must have no effect.
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
    request.priority = CourierRequest.Priority(of: owner)
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

  /// Rejects further requests, and discards responses that are still to come.
  func close() { isClosed = true }

  /// Returns a new transport with the same cookies, for requests to the server after the sign-on ended.
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

  /// Makes the courier listen for the redirect at the end of a sign-on in a browser.
  ///
  /// It listens for at most `Login.lifetime`. The courier receives a digest of `state`, not `state` itself.
  func listen(path: String, state: String, owner: uid_t) async throws -> CourierListener {
    guard courier.hasListener(for: owner) else {
      throw RPCError.quota(CourierLimits.maximumListenersPerOwner, "sign-ons in a browser")
    }
    let digest = try digest(Array(state.utf8), .sha256)
    let redirect = ExpectedRedirect(path: path, stateDigest: digest, timeout: Login.lifetime)
    return try await courier.listen(for: redirect, of: owner)
  }

  /// Sends a form and returns the response with any status.
  func post(form: [(String, String)], to url: WebURL) async throws -> CourierResponse {
    let type = CourierHeader("Content-Type", "application/x-www-form-urlencoded")
    return try await send(.post, url, headers: [type], body: Array(FormEncoding.encode(form).utf8))
  }
}

extension CourierResponse {
  /// Maximum size of a document in bytes.
  ///
  /// A reply to the client must have room for all displayed parts, even if it contains them twice.
  static let largestDocument = 256 * 1024

  /// The body as a JSON object; throws a `SignOnFailure` for any other body.
  var document: JSON {
    get throws {
      guard body.count <= Self.largestDocument else { throw SignOnFailure.tooLarge }
      do throws(JSONError) {
        let json = try JSON(parsing: body)
        guard json.object != nil else { throw .malformed(offset: 0) }
        return json
      } catch {
        if case .tooManyValues = error { throw SignOnFailure.tooLarge }
        throw SignOnFailure.notJSON
      }
    }
  }
}

/// The language of pages, RFC 9110 section 12.5.4.
enum AcceptLanguage {
  /// Returns the field's value for a locale, for instance `en-GB, en;q=0.9` for `en_GB.UTF-8`.
  ///
  /// Returns `nil` if the locale names no language or has invalid characters. A list of languages is returned
  /// unchanged.
  static func field(_ locale: String) -> String? {
    guard locale.utf8.allSatisfy(isAllowed) else { return nil }
    if locale.contains(";") || locale.contains(",") { return locale }
    // The POSIX form is en_GB.UTF-8@euro.
    let tag = String(locale.prefix { $0 != "." && $0 != "@" }.map { $0 == "_" ? "-" : $0 })
    guard tag.first?.isLetter == true, tag != "C", tag != "POSIX" else { return nil }
    let language = tag.prefix { $0 != "-" }
    return language.count == tag.count ? tag : "\(tag), \(language);q=0.9"
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "-_,;=.*@ ".utf8.contains(byte)
  }
}
