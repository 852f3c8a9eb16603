import AMEnrolments
import Accounts
import Approvals
import ControlAPI
import CourierProtocol
import EventLoop
import JOSE
import JSON
import JSONRPC
import OATHExports
import OpenSSL
import TestLoop
import TestPlatform
import Testing
import Vault

@testable import PingAM

/// Defects seen in other clients of PingAM.
///
/// Each test shows that mfad does not have the defect.
@Suite("defects of other clients", .timeLimit(.minutes(30)))
struct DefectTests {
  /// A push with the given texts of header and claims, and with a valid or the given signature.
  private static func envelope(_ header: String, _ claims: String, signature: String? = nil) throws -> JSON {
    let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(claims.utf8)))"
    let code = try HMACContext(.sha256, key: Secret(copying: AMBench.secret)).code(for: Array(input.utf8))
    let token = "\(input).\(signature ?? Base64URL.encode(code))"
    return ["messageId": .string(AMBench.messageID), "message": .string(token)]
  }

  private static func claims(_ more: String = "") -> String {
    #"{"u":"\#(AMBench.mechanism)","c":"ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="\#(more)}"#
  }

  private static let header = #"{"typ":"JWT","alg":"HS256"}"#

  @Test("1: a push with an invalid signature is rejected")
  func unverifiedSignatures() async throws {
    try await AMBench.run { bench in
      try bench.own()
      for signature in ["", "AAAA", Base64URL.encode([UInt8](repeating: 0, count: 32))] {
        #expect(throws: RPCError.tokenRejected) {
          try bench.receive(Self.envelope(Self.header, Self.claims(), signature: signature))
        }
      }
      for header in [#"{"alg":"none"}"#, #"{"alg":"HS512"}"#, #"{"alg":"hs256"}"#, #"{"alg":"ES256"}"#] {
        #expect(throws: RPCError.tokenRejected) { try bench.receive(Self.envelope(header, Self.claims())) }
      }
    }
  }

  @Test("2: a verification error rejects the push, and unverified claims change nothing")
  func failuresOfVerifying() async throws {
    try await AMBench.run { bench in
      let account = try bench.own()
      let claims = Self.claims(#","d":"mallory""#)
      for header in [#"{"alg":"HS256","crit":["x"]}"#, #"{"alg":"HS256","b64":false}"#, #"{"alg":1}"#, "{"] {
        #expect(throws: RPCError.self) { try bench.receive(Self.envelope(header, claims)) }
      }
      #expect(throws: RPCError.tokenRejected) {
        try bench.receive(Self.envelope(Self.header, claims, signature: "AAAA"))
      }
      // Even a verified push does not change the user of an account.
      _ = try bench.receive(Self.envelope(Self.header, claims))
      let known = try bench.life.am.active(of: AMBench.owner).first { $0.account.id == account }
      #expect(known?.user == "b0b-uid")
    }
  }

  @Test("3: the signature covers the received text, for every length of the header")
  func paddedHeaders() async throws {
    for header in [#"{ "typ": "JWT", "alg": "HS256" }"#, #"{"alg":"HS256" }"#, #"{"alg":"HS256"}"#] {
      try await AMBench.run { bench in
        try bench.own()
        #expect(try bench.receive(Self.envelope(header, Self.claims())).state == .pending)
      }
    }
  }

  @Test("5: parameters are decoded by name, in either Base64 alphabet, and the cookie is optional")
  func guessedEncodings() async throws {
    try await AMBench.run { bench in
      let enrolled = try await bench.enrol(
        AMSample.uri(["l": nil, "uid": "Pz8_Pg", "pid": "Pz8_Pg", "policies": "e30"])
      )
      #expect(enrolled.user?.id == "???>")
      // A plain name that is also valid Base64 stays unchanged where names are plain.
      let oath = "otpauth://totp/ann?issuer=QWNtZQ&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
      #expect(try await bench.enrol(oath).issuer == "QWNtZQ")
    }
  }

  @Test("6: texts of digits stay texts, and JSON in a text is parsed once")
  func changedTypes() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let claims = Self.claims(#","m":"0123456","d":"42","p":"{\"n\":\"007\",\"q\":\"a\\\"b\"}""#)
      let push = try bench.receive(Self.envelope(Self.header, claims))
      #expect(push.content.body == "0123456")
      #expect(push.content.clientContext == ["n": "007", "q": "a\"b"])
    }
  }

  @Test("7: the load balancer's cookie is sent in the Cookie header")
  func cookieHeaders() async throws {
    try await AMBench.run { bench in
      _ = try await bench.enrol()
      try bench.own()
      _ = try await bench.approve(try bench.receive(try bench.push()).id)
      #expect(bench.requests.count == 2)
      for request in bench.requests {
        #expect(request.header("Cookie") == "amlbcookie=01")
        #expect(!request.headers.contains { $0.name.lowercased() == "set-cookie" })
      }
    }
  }

  @Test("8: a colon in an account's name is kept")
  func colons() async throws {
    try await AMBench.run { bench in
      let account = try await bench.enrol(AMSample.uri(label: "Acme:team:bob@example.com"))
      #expect(account.issuer == "Acme" && account.label == "team:bob@example.com")
    }
  }

  @Test("9: a picture's URL in either Base64 alphabet does not fail the enrolment")
  func pictures() async throws {
    for picture in [
      "aHR0cHM6Ly9hLmV4YW1wbGUvP_8-", "aHR0cHM6Ly9hLmV4YW1wbGUvP/8+", "https://a.example/b.png", "",
    ] {
      try await AMBench.run { bench in
        let push = try await bench.enrol(AMSample.uri(["image": picture]))
        let both = try await bench.enrol(AMSample.combined(["image": picture, "issuer": "QmV0YQ"]))
        #expect([push.state, both.state] == [.known(.active), .known(.active)])
      }
    }
  }

  @Test("10: an unknown algorithm is rejected and not treated as SHA1")
  func algorithms() async throws {
    try await AMBench.run { bench in
      for algorithm in ["SHA224", "SHA384", "MD5"] {
        let error = await #expect(throws: RPCError.self) {
          try await bench.enrol(AMSample.combined(["algorithm": algorithm]))
        }
        #expect(error?.code == RPCError.invalidParams.code)
      }
      #expect(bench.requests.isEmpty)
    }
  }

  @Test("11: a passcode's counter is stored before the passcode is shown")
  func counters() async throws {
    try await AMBench.run { bench in
      let uri = AMSample.combined(["counter": "7", "period": nil])
      let account = try await bench.enrol("mfauth://hotp" + uri.dropFirst("mfauth://totp".count))
      var counters: [Int?] = []
      for _ in 0..<3 {
        let passcode = try bench.life.passcodes.passcode(of: account.id, next: false, owner: AMBench.owner)
        if case .counted(let passcode) = passcode { counters.append(passcode.counter) }
        try bench.crash()
      }
      #expect(counters == [7, 8, 9])
    }
  }

  @Test("12: a combined enrolment creates both halves or neither")
  func halves() async throws {
    try await AMBench.run { bench in
      bench.answer = { _ throws(CourierFailure) in .refused() }
      await #expect(throws: RPCError.self) { try await bench.enrol(AMSample.combined()) }
      let left = try bench.life.vault.rows(.account)
      #expect(left == 0)
      bench.answer = { _ throws(CourierFailure) in .taken }
      let account = try await bench.enrol(AMSample.combined())
      #expect(account.authenticators.map(\.type) == ["PUSH", "OTP"])
    }
  }
}
