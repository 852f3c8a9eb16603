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

/// The one resource of a PingAM server that devices speak to, without a session: they register, answer and refresh.
@EventLoop
public final class AMServer {
  private let carry: CourierExchange

  private static let headers = [
    CourierHeader("Content-Type", "application/json"), CourierHeader("Accept", "application/json"),
    // Servers refuse requests without it, as coming from pages of others.
    CourierHeader("Accept-API-Version", "resource=1.0, protocol=1.0"),
  ]

  public init(exchange: @escaping CourierExchange) { carry = exchange }

  /// Sends a message and waits until it is taken.
  func post(
    _ message: JSONObject,
    to url: WebURL,
    cookie: AMCookie? = nil,
    turn: CourierRequest.Turn
  ) async throws(AMServerError) {
    var headers = Self.headers
    if let cookie { headers.append(CourierHeader("Cookie", cookie.text)) }
    var request = CourierRequest(.post, url, headers: headers, body: JSON.object(message).serialized)
    request.turn = turn
    let response: CourierResponse
    do { response = try await carry(request) } catch {
      Journal.debug("a request did not reach the server", ["reason": error])
      let told = error.rpcError(at: url.origin)
      throw error.mayHaveArrived ? .unknown(told) : .unsent(told)
    }
    switch response.status {
    case 200: return
    case 500...: throw .unknown(.serverError.because(.http, status: response.status, at: url.origin))
    case let status: throw .refused(status: status, at: url.origin)
    }
  }
}

/// Why a server did not take a message.
enum AMServerError: NamedError {
  /// It did not leave this machine, or nobody took it.
  case unsent(RPCError)
  /// What became of it there is not known.
  case unknown(RPCError)
  /// The server understood, and took nothing.
  case refused(status: Int, at: Origin)

  var rpcError: RPCError {
    switch self {
    case .unsent(let error), .unknown(let error): error
    case .refused(let status, let origin): .serverError.because(.http, status: status, at: origin)
    }
  }
}

/// What only somebody with an account's secret can make.
enum AMProof {
  /// The response to a challenge: its HMAC-SHA256, in padded Base64.
  static func response(to challenge: [UInt8], by secret: Secret) throws -> String {
    Base64.encode(try HMACContext(.sha256, key: secret).code(for: challenge))
  }

  /// Claims in a token that the secret signs.
  static func token(_ claims: JSONObject, by secret: Secret) throws -> JSON {
    .string(try CompactJWS.sign(payload: JSON.object(claims).serialized, type: "JWT", with: secret))
  }
}
