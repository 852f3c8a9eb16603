import ControlAPI
import CourierProtocol
import JSON
import JSONRPC
import Testing

@testable import SelfService

@Suite("error mapping of PingOne's responses")
struct RefusalTests {
  private static func error(_ status: Int, _ body: JSON = [:], making: Bool, patience: Bool = false)
    -> RPCError
  {
    let headers = patience ? [CourierHeader("Retry-After", "3")] : []
    return RPCError(refusedBy: .json(status, body, headers), body, making: making)
  }

  @Test("a device limit is reported only when a device is created and without Retry-After")
  func limits() {
    let full = Self.error(429, making: true)
    #expect(full.code == RPCError.policyRefuses.code && full.details["policy"] == "maxAllowedDevices")
    for (making, patience) in [(true, true), (false, false), (false, true)] {
      #expect(Self.error(429, making: making, patience: patience) == .rateLimited, "\(making) \(patience)")
    }
    for body: JSON in [["code": "LIMIT_EXCEEDED"], ["details": [["code": "LIMIT_EXCEEDED"]]]] {
      #expect(Self.error(400, body, making: true) == full)
      #expect(Self.error(400, body, making: false) == .serverError.withCause(.http, status: 400))
    }
  }

  @Test("a conflict means a second authenticator app only when a device is created")
  func conflicts() {
    let second = Self.error(409, making: true)
    #expect(second.code == RPCError.conflict.code)
    #expect(Self.error(400, ["details": [["code": "UNIQUENESS_VIOLATION"]]], making: true) == second)
    #expect(Self.error(409, making: false) == .serverError.withCause(.http, status: 409))
    #expect(
      Self.error(400, ["details": [["code": "UNIQUENESS_VIOLATION"]]], making: false)
        == .serverError.withCause(.http, status: 400)
    )
  }

  @Test("the status class takes precedence over the error codes")
  func statuses() {
    let codes: JSON = ["details": [["code": "LIMIT_EXCEEDED", "target": "otp"]]]
    #expect(Self.error(403, codes, making: true).code == RPCError.scopeNotGranted.code)
    #expect(Self.error(404, codes, making: true) == .noSuch("device"))
    #expect(Self.error(503, codes, making: true) == .serverError.withCause(.http, status: 503))
    #expect(Self.error(400, codes, making: false) == .passcodeNotVerified)
  }
}
