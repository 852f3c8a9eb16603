import ControlAPI
import CourierProtocol
import JSON
import JSONRPC
@testable import PingOne
import Testing
import WebAddress

@Suite("causes of platform failures")
struct CauseTests {
  @Test(
    "each courier failure maps to an error and a cause",
    arguments: [
      (CourierFailure.unresolved, RPCError.noConnectivity, ErrorCause.dns),
      (.refused, .noConnectivity, .refused), (.unreachable, .noConnectivity, .brokenOff),
      (.timeout, .noConnectivity, .timeout), (.tls, .noConnectivity, .tls),

      (.refusedOrigin, .noConnectivity, .notAllowed), (.refusedAddress, .noConnectivity, .notAllowed),
      (.cancelled, .noConnectivity, .courierUnavailable), (.busy, .noConnectivity, .courierUnavailable),
      (.misconfigured, .noConnectivity, .courierUnavailable),
      (.courierGone, .noConnectivity, .courierUnavailable), (.tooLarge, .serverError, .malformed),
      (.malformed, .serverError, .malformed),
    ]
  )
  func courier(_ failure: CourierFailure, _ error: RPCError, _ cause: ErrorCause) {
    let named = RPCError(naming: failure)
    #expect(named == error.withCause(cause) && error.causes.contains(cause.rawValue))
    #expect(named.message.hasPrefix(error.message + ": "))
  }

  @Test(
    "certificate failures have the cause tls and name the problem",
    arguments: [
      (CourierFailure.expiredCertificate, CertificateProblem.expired), (.earlyCertificate, .notYetValid),
      (.foreignCertificate, .otherHost), (.unknownCertificate, .unknownIssuer),
    ]
  )
  func certificate(_ failure: CourierFailure, _ problem: CertificateProblem) throws {
    let origin = try #require(WebURL("https://mfa.example.test")?.origin)
    let told = PlatformError(failure, at: origin).rpcError
    #expect(told == .noConnectivity.withCause(.tls, certificate: problem, at: origin))
    #expect(
      told.message.contains("https://mfa.example.test") && !failure.isTransient && !failure.mayHaveArrived
    )
  }

  @Test("an HTTP failure contains its status")
  func status() {
    let error = RPCError(naming: PlatformError.failed(.http, status: 503))
    #expect(error.cause == "http" && error.details == ["status": 503])
    #expect(RPCError(naming: PlatformError.failed(.malformed)).details.isEmpty)
  }

  @Test("a signature by an unknown key has the cause notPlatform")
  func key() {
    #expect(RPCError(naming: PlatformError.unknownKey) == .serverError.withCause(.notPlatform))
  }
}
