import CourierProtocol
import Fixtures
import JSON
import Testing

@testable import SignOn

/// Each recorded DaVinci response with its expected meaning and page.
@Suite("recorded DaVinci responses")
struct DaVinciFixtureTests {
  /// Files that are not responses of flows.
  ///
  /// The tests below read them.
  private static let others: Set<String> = [
    "android-PollingCollectorTest-mockEngine--1", "android-PollingCollectorTest-mockEngine--3",
    "android-PollingCollectorTest-mockEngine--4", "android-PollingCollectorTest-mockEngine--5",
    "js-davinci-fields-by-type",
  ]

  @Test("every file is in the table")
  func complete() throws {
    let names = try Fixtures.names(in: "davinci").filter { $0.hasSuffix(".json") }.map { $0.dropLast(5) }
    #expect(Set(names.map(String.init)) == Set(DaVinciAnswers.all.map(\.name)).union(Self.others))
  }

  @Test("a response has its expected kind and page", arguments: DaVinciAnswers.all)
  func answer(expected: DaVinciAnswers.Answer) throws {
    let json = try Fixtures.json("davinci/\(expected.name).json")
    #expect(try DaVinciPicture.lines(expected.status, json) == expected.lines)
  }

  @Test("an error status is an error with any body, except codes that end a flow")
  func order() throws {
    let page = try Fixtures.json("davinci/js-davinci-next1.json")
    let done = try Fixtures.json("davinci/js-davinci-success1.json")
    for status in [400, 401, 403, 404, 422, 499] {
      #expect(try DaVinciPicture.lines(status, page).first == "error")
      #expect(try DaVinciPicture.lines(status, done).first == "error")
    }
    let expired: [JSON] = [1999, "1999", " 1999 ", "requestTimedOut"]
    for code in expired {
      #expect(try DaVinciPicture.lines(401, ["code": code])[1] == "SESSION_EXPIRED", "\(code.text)")
      #expect(try DaVinciPicture.lines(200, ["code": code])[1] == "MALFORMED", "\(code.text)")
    }
    let setSession: JSON = ["connectorId": "pingOneAuthenticationConnector", "capabilityName": "setSession"]
    #expect(try DaVinciPicture.lines(400, setSession)[1] == "REFUSED")
  }

  @Test("failure takes precedence over success, success over a page, and the rest is a failure")
  func precedence() throws {
    var page = try #require(try Fixtures.json("davinci/js-davinci-next1.json").object)
    #expect(try DaVinciPicture.lines(200, .object(page)).first == "continue")
    page["eventName"] = "rewindStateToLastRenderedUI"
    #expect(try DaVinciPicture.lines(200, .object(page)) == ["again"])
    page["session"] = [:]
    #expect(try DaVinciPicture.lines(200, .object(page)) == ["success", "-"])
    page["authorizeResponse"] = ["code": "c"]
    #expect(try DaVinciPicture.lines(200, .object(page)) == ["success", "c"])
    for status: JSON in ["FAILED", "failure", "Failure"] {
      page["status"] = status
      #expect(
        try DaVinciPicture.lines(200, .object(page)) == [
          "failure", "REFUSED", "the server refuses the sign-on",
        ]
      )
    }
    page["status"] = "COMPLETED"
    page["error"] = ["message": " no\u{7} more\n"]
    #expect(try DaVinciPicture.lines(200, .object(page)) == ["failure", "REFUSED", "no more"])
    for code: JSON in ["access_denied", "ACCESS_DENIED", "accessDenied", "PUSH_DENIED"] {
      page["error"] = ["code": code, "message": "no"]
      #expect(try DaVinciPicture.lines(200, .object(page)) == ["failure", "DENIED", "no"])
    }
    for error: JSON in [[:], "", .null] {
      page["error"] = error
      #expect(try DaVinciPicture.lines(200, .object(page)).first == "success")
    }
    #expect(try DaVinciPicture.lines(200, ["eventName": "rewindStateToSpecificRenderedUI"]) == ["again"])
    #expect(try DaVinciPicture.lines(200, [:])[1] == "MALFORMED")
  }

  @Test(
    "a challenge response is classified by status and body",
    arguments: [(1, 200, "approved"), (3, 400, "expired"), (4, 400, "error"), (5, 400, "expired")]
  )
  func challenge(number: Int, status: Int, outcome: String) throws {
    let name = "davinci/android-PollingCollectorTest-mockEngine--\(number).json"
    let body = try Fixtures.bytes(name)
    #expect(ChallengeStatus.outcome(of: CourierResponse(status: status, headers: [], body: body)) == outcome)
    let failed = CourierResponse(status: 500, headers: [], body: body)
    #expect(ChallengeStatus.outcome(of: failed) == "error")
  }

  @Test("an open challenge has no outcome, and a malformed response is an error")
  func openChallenge() {
    func outcome(_ text: String) -> String? {
      ChallengeStatus.outcome(of: CourierResponse(status: 200, headers: [], body: Array(text.utf8)))
    }
    #expect(outcome(#"{"isChallengeComplete":false}"#) == nil)
    #expect(outcome(#"{"isChallengeComplete":true,"status":"denied"}"#) == "denied")
    let long = String(repeating: "x", count: 65)
    for odd in [
      "", "{", "[]", "{}", #"{"isChallengeComplete":1}"#, #"{"isChallengeComplete":true}"#,
      #"{"isChallengeComplete":true,"status":"\#(long)"}"#,
    ] {
      #expect(outcome(odd) == "error", "\(odd)")
    }
  }

  @Test("every recorded field is shown as its kind")
  func fields() throws {
    let types = try #require(try Fixtures.json("davinci/js-davinci-fields-by-type.json").object)
    #expect(Set(types.names) == Set(DaVinciFields.byType.keys))
    for member in types.members {
      let lines = try (member.value.array ?? []).map { field in
        DaVinciPicture.lines(try DaVinciPicture.page(field).shown).joined(separator: " ")
      }
      #expect(lines == DaVinciFields.byType[member.name], "\(member.name)")
    }
  }
}
