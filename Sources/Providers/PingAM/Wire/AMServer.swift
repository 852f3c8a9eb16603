internal import AMEnrolments
internal import ControlAPI
public import CourierLink
internal import CourierProtocol
public import EventLoop
internal import JOSE
internal import JSON
internal import JSONRPC
internal import Journal
internal import OATHExports
internal import OpenSSL
internal import WebAddress

/// The endpoints of PingAM servers for registrations, answers and address updates; they need no session.
@EventLoop
public final class AMServer {
  private let carry: CourierExchange

  private static let headers = [
    CourierHeader("Content-Type", "application/json"), CourierHeader("Accept", "application/json"),
    // Servers reject requests without this header, as a protection against cross-site requests.
    CourierHeader("Accept-API-Version", "resource=1.0, protocol=1.0"),
  ]

  public init(exchange: @escaping CourierExchange) { carry = exchange }

  /// Sends a message and waits until the server has accepted it.
  func post(
    _ message: JSONObject,
    to url: WebURL,
    cookie: AMCookie? = nil,
    priority: CourierRequest.Priority
  ) async throws(AMServerError) {
    var headers = Self.headers
    if let cookie { headers.append(CourierHeader("Cookie", cookie.text)) }
    var request = CourierRequest(.post, url, headers: headers, body: JSON.object(message).serialized)
    request.priority = priority
    let response: CourierResponse
    do { response = try await carry(request) } catch {
      Journal.debug("a request did not reach the server", ["reason": error])
      let told = error.rpcError(at: url.origin)
      throw error.mayHaveArrived ? .unknown(told) : .unsent(told)
    }
    switch response.status {
    case 200: return
    case 500...: throw .unknown(.serverError.withCause(.http, status: response.status, at: url.origin))
    case let status: throw .refused(status: status, at: url.origin)
    }
  }
}

/// The reason why a server did not accept a message.
enum AMServerError: NamedError {
  /// The message did not leave this machine or did not reach the server.
  case unsent(RPCError)
  /// It is unknown whether the server processed the message.
  case unknown(RPCError)
  /// The server or a proxy refused the message with a status below 500.
  case refused(status: Int, at: Origin)

  var rpcError: RPCError {
    switch self {
    case .unsent(let error), .unknown(let error): error
    case .refused(let status, let origin): .serverError.withCause(.http, status: status, at: origin)
    }
  }
}

/// Proofs that only the owner of an account's secret can create.
enum AMProof {
  /// Returns the response to a challenge: its HMAC-SHA256 in padded Base64.
  static func response(to challenge: [UInt8], by secret: Secret) throws -> String {
    Base64.encode(try HMACContext(.sha256, key: secret).code(for: challenge))
  }

  /// Returns a token with these claims, signed with the secret.
  static func token(_ claims: JSONObject, by secret: Secret) throws -> JSON {
    .string(try CompactJWS.sign(payload: JSON.object(claims).serialized, type: "JWT", with: secret))
  }
}
