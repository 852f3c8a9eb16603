import ControlAPI
import CourierProtocol
import JSON
import JSONRPC
import PingOne
import Testing

@Suite("Causes of the platform's failures")
struct CauseTests {
  @Test(
    "what keeps the courier from an answer has its error and its cause",
    arguments: [
      (CourierFailure.unresolved, RPCError.noConnectivity, ErrorCause.dns),
      (.refused, .noConnectivity, .refused), (.unreachable, .noConnectivity, .brokenOff),
      (.timeout, .noConnectivity, .timeout), (.tls, .noConnectivity, .tls),
      (.refusedOrigin, .noConnectivity, .notAllowed), (.refusedAddress, .noConnectivity, .notAllowed),
      (.cancelled, .noConnectivity, .courierUnavailable), (.busy, .noConnectivity, .courierUnavailable),
      (.courierGone, .noConnectivity, .courierUnavailable), (.tooLarge, .serverError, .malformed),
      (.malformed, .serverError, .malformed),
    ]
  )
  func courier(_ failure: CourierFailure, _ error: RPCError, _ cause: ErrorCause) {
    let named = RPCError(naming: failure)
    #expect(named == error.because(cause) && error.causes.contains(cause.rawValue))
    #expect(named.message.hasPrefix(error.message + ": "))
  }

  @Test("an answer that is a failure tells its status")
  func status() {
    let error = RPCError(naming: PlatformError.failed(.http, status: 503))
    #expect(error.cause == "http" && error.details == ["status": 503])
    #expect(RPCError(naming: PlatformError.failed(.malformed)).details.isEmpty)
  }

  @Test("a key that is not held is not the platform's")
  func key() {
    #expect(RPCError(naming: PlatformError.unknownKey) == .serverError.because(.notPlatform))
  }
}
