import AMEnrolments
import Fixtures
import JSON
import OATHExports
import OpenSSL
import Testing
import WebAddress

@Suite("Enrolment URIs of PingAM")
struct AMEnrolmentTests {
  private static func cases(_ file: String, _ count: Int) throws -> [JSON] {
    let cases = try #require(try Fixtures.json("am/\(file)")["cases"]?.array)
    #expect(cases.count == count)
    return cases
  }

  private static func bytes(_ value: JSON?) throws -> [UInt8]? { try value?.string.map(hexadecimal) }

  /// Compares an enrolment with the expected values.
  private static func check(_ enrolment: AMEnrolment, _ expected: JSON, _ uri: String) throws {
    #expect(enrolment.issuer == expected["issuer"]?.string, "\(uri)")
    #expect(enrolment.account == expected["account"]?.string, "\(uri)")
    let push = enrolment.push
    let texts: [(String, String?)] = [
      ("registration_endpoint", push.register.text), ("authentication_endpoint", push.authenticate.text),
      ("update_endpoint", push.refresh.text), ("lb_cookie", push.cookie?.text),
      ("message_id", push.messageID), ("user_id", enrolment.user), ("policies", enrolment.policies.text),
      ("oath_secret", enrolment.oath?.secret), ("resource_id", push.resource),
    ]
    // No URL in these cases has a port, so every URL is written as it was read.
    for (name, value) in texts where expected[name] != nil {
      #expect(value == expected[name]?.string, "\(uri)")
    }
    let secret = push.secret.withBytes { Array($0) }
    for name in ["secret_hex", "push_secret_hex"] {
      #expect(try bytes(expected[name]) ?? secret == secret, "\(uri)")
    }
    for name in ["challenge_hex", "push_challenge_hex"] {
      #expect(try bytes(expected[name]) ?? push.challenge == push.challenge, "\(uri)")
    }
  }

  @Test("push URIs are accepted and refused like in Ping's and ForgeRock's clients")
  func pushes() throws {
    for one in try Self.cases("pushauth_uri.json", 13) {
      let uri = try #require(one["uri"]?.string)
      guard one["outcome"] == "accept" else {
        #expect(throws: OATHError.self, "\(uri)") { try AMEnrolment(uri: uri) }
        continue
      }
      let enrolment = try AMEnrolment(uri: uri)
      try Self.check(enrolment, try #require(one["expect"]), uri)
      #expect(enrolment.oath == nil)
    }
  }

  @Test("a combined URI with only one half is refused")
  func combined() throws {
    let outcomes = try Self.cases("mfauth_uri.json", 4).map { one -> OATHError? in
      let uri = try #require(one["uri"]?.string)
      do {
        let enrolment = try AMEnrolment(uri: uri)
        try Self.check(enrolment, try #require(one["expect"]), uri)
        #expect(enrolment.oath?.digits == 6 && enrolment.oath?.period == 30)
        return nil
      } catch let error as OATHError { return error }
    }
    #expect(outcomes == [nil, .missing("r"), .unsupportedType, .invalid("m")])
  }

  @Test("optional parameters, including the load balancer cookie, may be missing")
  func least() throws {
    let least = try AMEnrolment(uri: Sample.uri(without: ["l", "uid", "b", "image"]))
    #expect(least.push.cookie == nil && least.user == nil && least.policies.text == "")
    #expect(try AMEnrolment(uri: Sample.uri(["l": ""])).push.cookie == nil)
    #expect(try AMEnrolment(uri: Sample.uri(["issuer": ""], label: "")).issuer == "Untitled")
  }

  @Test("a value is decoded by its key, not by its content")
  func byKey() throws {
    // A value of a plain-text key stays plain text even if it looks like Base64, and vice versa.
    #expect(try AMEnrolment(uri: Sample.uri(["m": "REGISTER:abcd"])).push.messageID == "REGISTER:abcd")
    #expect(try AMEnrolment(uri: Sample.uri(["issuer": "QWNtZQ"])).issuer == "Acme")
    #expect(try AMEnrolment(uri: Sample.uri(["issuer": "Acme%20Co"])).issuer == "Acme Co")
    #expect(try AMEnrolment(uri: Sample.uri(["uid": "NDI"])).user == "42")
    #expect(try AMEnrolment(uri: Sample.uri(["d": "Ym9i"], without: ["uid"])).user == "bob")
    #expect(try AMEnrolment(uri: Sample.uri(["d": "YW5u"])).user == "bob")
    // Values with the two special digits of base64url.
    #expect(try AMEnrolment(uri: Sample.uri(["image": "aHR0cHM6Ly9pbWFnZS_-Pw"])).account == "bob")
    #expect(try AMEnrolment(uri: Sample.uri(["uid": "Pz8_Pg"])).user == "???>")
    #expect(try AMEnrolment(uri: Sample.uri(["uid": "Pz8/Pg=="])).user == "???>")
  }

  @Test("an account name may contain a colon")
  func colons() throws {
    let enrolment = try AMEnrolment(uri: Sample.uri(label: "Acme:team:bob@example.com"))
    #expect(enrolment.issuer == "Acme" && enrolment.account == "team:bob@example.com")
  }
}

extension AMEnrolment {
  init(uri: String) throws(OATHError) { try self.init(KeyURI(uri)) }
}
