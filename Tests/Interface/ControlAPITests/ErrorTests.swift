import ControlAPI
import JSON
import JSONRPC
import Testing
import WebAddress

@Suite("Errors")
struct ErrorTests {
  @Test("every error has a unique code and reason, and a message without period")
  func distinct() {
    let all = RPCError.documented + RPCError.reserved
    let beyond = all.filter { $0.code > 0 }
    #expect(Set(beyond.map(\.code)).count == beyond.count)
    #expect(Set(all.map(\.reason)).count == all.count)
    #expect(Set(beyond.map(\.code)) == Set(10000...10024).union(11001...11024))
    for error in all {
      #expect(error.message.first?.isLowercase == true && !error.message.hasSuffix("."), "\(error.reason)")
      #expect(error.cause == nil && error.details.isEmpty, "\(error.reason)")
    }
  }

  @Test("every error has the expected exit code")
  func exitCodes() {
    let codes: [ExitCode: Set<Int>] = [
      .wrongUsage: [-32602], .permissionDenied: [11001], .notFound: [11002], .notConfigured: [10008, 10018],
      .locked: [11005, 11012, 11013, 11014, 11018], .platformUnreachable: [10003, 10004],
      .expired: [10009, 11004], .answeredElsewhere: [10020, 11003], .tryLater: [11006, 11016],
      .rejected: [10005, 10011, 11009], .numberWanted: [11007, 11008], .ambiguous: [11017],
      .personNotVerified: [11019, 11020], .refusedByPolicy: [11021, 11022, 11023], .misconfigured: [11024],
    ]
    for error in RPCError.documented {
      let expected = codes.first { $0.value.contains(error.code) }?.key ?? .refused
      #expect(error.exitCode == expected, "\(error.reason)")
    }
    let numbers = ExitCode.allCases.map(\.rawValue)
    #expect(numbers == Array(0...21) + [130])
    #expect(Set(ExitCode.allCases.map(\.meaning)).count == numbers.count)
  }

  @Test("no remedy of a doctor check refers to authctl doctor")
  func remediesOfChecks() {
    for error in RPCError.documented {
      for said in [error] + error.causes.compactMap({ ErrorCause(rawValue: $0).map { error.withCause($0) } })
      {
        let remedy = DoctorReport.Check(.key, failing: said).remedy
        #expect(remedy?.contains("authctl doctor") != true, "\(said.reason) \(said.cause ?? "-")")
      }
    }
    #expect(RPCError.keyUnavailable.hint?.contains("authctl doctor") == true)
  }

  @Test("an error is read back from its reply with exit code and hint")
  func reading() throws {
    let errors =
      RPCError.documented + [
        .quota.with(["limit": 8]), .noConnectivity.withCause(.dns), .invalidParameter("limit"),
        .alreadyAnswered(state: "denied"),
      ]
    for error in errors {
      let read = try RPCError(reading: error.json)
      #expect(read == error && read.exitCode == error.exitCode && read.hint == error.hint, "\(error.reason)")
    }
  }

  @Test("an unknown error is kept as received")
  func novelties() throws {
    let json: JSON = [
      "code": 12001, "message": "new",
      "data": ["reason": "NEW", "retry": true, "cause": "novelty", "details": ["x": 1], "more": 1],
    ]
    let error = try RPCError(reading: json)
    #expect((error.code, error.reason, error.message, error.retry) == (12001, "NEW", "new", true))
    #expect(error.cause == "novelty" && error.details == ["x": 1])
    #expect(error.exitCode == .refused && error.hint == nil)
    // An unknown reason of a known code has the exit code of that code.
    let invalid = try RPCError(reading: ["code": -32602, "message": "m", "data": ["reason": "NEW"]])
    #expect(invalid.exitCode == .wrongUsage && invalid.reason == "NEW")
    for json in [.null, [:], ["code": "1", "message": "m"], ["code": 1]] as [JSON] {
      #expect(throws: UnreadableValue.self) { try RPCError(reading: json) }
    }
  }

  @Test("a cause is in the error data and in the message")
  func causes() {
    let error = RPCError.noConnectivity.withCause(.tls)
    #expect(error.json["data"]?["cause"] == "tls")
    #expect(
      error.message == "the platform cannot be reached: the certificate of the server cannot be verified"
    )
    #expect(error.code == 10004 && error.reason == "NO_CONNECTIVITY" && error.retry)
    #expect(RPCError.noConnectivity.json["data"]?["cause"] == nil)
    let named = Set(RPCError.documented.flatMap(\.causes))
    #expect(named == Set(ErrorCause.allCases.map(\.rawValue)))
  }

  @Test(
    "every error has a hint, and every cause has its own hint and the origin"
  )
  func remedies() throws {
    for error in RPCError.documented {
      #expect(error.hint?.isEmpty == false, "\(error.reason)")
      let told = try error.causes.map { cause in
        let origin = try #require(WebURL("https://mfa.example.test:8443")?.origin)
        let whole = error.withCause(try #require(ErrorCause(rawValue: cause)), at: origin)
        let read = try RPCError(reading: whole.json)
        #expect(
          read == whole && read.hint == whole.hint && read.hint != error.hint,
          "\(error.reason) \(cause)"
        )
        #expect(whole.details == ["origin": "https://mfa.example.test:8443"])
        return whole.message
      }
      #expect(Set(told).count == error.causes.count, "\(error.reason)")
    }
  }

  @Test("every certificate problem has its own message")
  func certificates() {
    let messages = CertificateProblem.allCases.map { problem in
      let error = RPCError.noConnectivity.withCause(.tls, certificate: problem)
      #expect(error.cause == "tls" && error.details == ["certificate": .string(problem.rawValue)])
      return error.message
    }
    #expect(Set(messages).count == CertificateProblem.allCases.count)
  }

  @Test("methods list documented errors once and no common errors")
  func listed() {
    let common = Set(RPCError.common.map(\.reason))
    let known = Set(RPCError.documented.map(\.reason))
    for method in MethodTable.all {
      let reasons = method.errors.map(\.reason)
      #expect(Set(reasons).count == reasons.count, "\(method.name)")
      #expect(Set(reasons).isSubset(of: known) && Set(reasons).isDisjoint(with: common), "\(method.name)")
      // A setting laxer than the administrator's requirement is denied too.
      let mayBeDenied = method.access == .service || method.name == "presence.set"
      #expect(reasons.contains("PERMISSION_DENIED") == mayBeDenied, "\(method.name)")
    }
  }
}
