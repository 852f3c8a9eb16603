import CourierProtocol
import Testing
import WebAddress

@Suite("Courier messages")
struct CourierMessageTests {
  private func order(_ text: String) throws -> CourierOrder {
    try CourierOrder(parsing: ArraySlice(text.utf8))
  }

  private func text(_ replacing: (String, String)) -> String {
    let whole = """
      {"id":7,"method":"POST","url":"https://example.com/a","headers":[["X-A","1"]],"body":"AAE=","timeout":500}
      """
    return whole.replacing(replacing.0, with: replacing.1)
  }

  @Test("a request survives serialization")
  func request() throws {
    let url = try #require(WebURL("https://example.com/a?b=%20"))
    let headers = [CourierHeader("X-A", "ä\t\"\\"), CourierHeader("x-a", "")]
    for body in [[], [0], [0, 255], [1, 2, 3], Array("hello, world".utf8)] as [[UInt8]] {
      let sent = CourierRequest(.put, url, headers: headers, body: body, timeout: .milliseconds(1500))
      let id = ExchangeID.first.next
      let bytes = CourierOrder.request(id, sent).serialized
      guard case .request(id, let request) = try CourierOrder(parsing: bytes[...]) else {
        Issue.record("not a request")
        continue
      }
      #expect(request.method == .put && request.url == url && request.headers == headers)
      #expect(request.body == body && request.timeout == .milliseconds(1500))
    }
  }

  @Test(
    "a malformed request is refused with its id",
    arguments: [
      ("POST", "PATCH"), ("POST", "post"), ("https://example.com/a", "ftp://example.com/"),
      ("https://example.com/a", "https://user@example.com/"), ("https://example.com/a", "/a"),
      ("\"X-A\"", "1"),
      ("[\"X-A\",\"1\"]", "[\"X-A\"]"), ("X-A", "Host"), ("X-A", "hOST"), ("X-A", "Content-Length"),
      ("X-A", "Transfer-Encoding"), ("X-A", "X A"), ("X-A", "X:A"), ("X-A", ""), ("X-A", "X-A\\r\\nX"),
      ("\"1\"", "\"1\\r\\nX: 2\""), ("\"1\"", "\"1\\n\""), ("\"1\"", "\"\\u0000\""), ("\"1\"", "\"\\u007f\""),
      ("AAE=", "AAE"), ("AAE=", "AAF="), ("AAE=", "A-_="), ("AAE=", "AA=E"), ("500", "0"), ("500", "-1"),
      ("500", "40001"), ("500", "1.5"), ("\"body\"", "\"corpse\""), ("\"id\":7", "\"id\":7,\"listen\":true"),
    ]
  )
  func refused(what: String, with replacement: String) throws {
    #expect(throws: CourierOrderError.refused(try #require(ExchangeID(rawValue: 7)), .malformed)) {
      try order(text((what, replacement)))
    }
  }

  @Test("the request template of these tests is accepted")
  func template() throws {
    guard case .request = try order(text(("", ""))) else { return #expect(Bool(false)) }
  }

  @Test(
    "an order without a valid id is unreadable",
    arguments: [
      "", "null", "[]", "{}", "{\"id\":0}", "{\"id\":-1}", "{\"id\":\"1\"}", "{\"id\":9007199254740992}",
      "{\"cancel\":0}", "{\"id\":1,\"id\":2}", "{\"cancel\":1,\"x\":2}",
      "{\"listen\":0,\"path\":\"/\",\"timeout\":1}", "\u{FF}",
    ]
  )
  func unreadable(text: String) {
    #expect(throws: CourierOrderError.unreadable) { try order(text) }
  }

  @Test("an expected redirect survives serialization")
  func listen() throws {
    let longest = "/" + String(repeating: "a", count: 1023)
    for path in ["/", "/callback", "/a%20b;c=d/", longest] {
      let digest = Array<UInt8>(0..<32)
      let sent = ExpectedRedirect(path: path, stateDigest: digest, timeout: .seconds(600))
      let bytes = CourierOrder.listen(.first.next, sent).serialized
      guard case .listen(.first.next, let redirect) = try CourierOrder(parsing: bytes[...]) else {
        return #expect(Bool(false))
      }
      #expect(redirect.path == path && redirect.timeout == .seconds(600))
      #expect(redirect.stateDigest == digest)
    }
  }

  @Test(
    "a malformed expected redirect is refused with its id",
    arguments: [
      ("/callback", ""), ("/callback", "callback"), ("/callback", "/call back"), ("/callback", "/a?b"),
      ("/callback", "/a#b"), ("/callback", "/ä"), ("/callback", "/a\\r\\n"), ("/callback", "/\\u0000"),
      ("/callback", "/LONG"), ("500", "0"), ("500", "-1"),
      ("500", "600001"),
      ("500", "1.5"), ("500", "\"500\""), ("\"path\"", "\"port\""), ("500", "500,\"port\":80"),
      ("CCCC", ""), ("CCCC", "CCCCCCCC"), ("CCCC", "C-CC"), ("=\"", "\""), ("\"state\"", "\"nonce\""),
    ]
  )
  func refusedListen(what: String, with replacement: String) throws {
    let digest = "CCCC" + String(repeating: "A", count: 39) + "="
    let whole = "{\"listen\":7,\"path\":\"/callback\",\"state\":\"\(digest)\",\"timeout\":500}"
    guard case .listen = try order(whole) else { return #expect(Bool(false)) }
    #expect(throws: CourierOrderError.refused(try #require(ExchangeID(rawValue: 7)), .malformed)) {
      let text = whole.replacing(what, with: replacement)
      return try order(text.replacing("LONG", with: String(repeating: "a", count: 1024)))
    }
  }

  @Test("a subscription and its lines survive serialization")
  func subscribe() throws {
    let url = try #require(WebURL("https://ntfy.example/upA/json?since=7"))
    let bytes = CourierOrder.subscribe(.first.next, url).serialized
    guard case .subscribe(.first.next, url) = try CourierOrder(parsing: bytes[...]) else {
      return #expect(Bool(false))
    }
    for line in [[], [0, 255], [UInt8](repeating: 97, count: 64 * 1024)] as [[UInt8]] {
      let bytes = CourierReply.line(.first, line).serialized
      guard case .line(.first, line) = try CourierReply(parsing: bytes[...]) else {
        return #expect(Bool(false))
      }
    }
    let long = CourierReply.line(.first, [UInt8](repeating: 97, count: 64 * 1024 + 1)).serialized
    #expect(throws: CourierReplyUnreadable.self) { try CourierReply(parsing: long[...]) }
  }

  @Test(
    "a malformed subscription is refused with its id",
    arguments: [
      ("https://ntfy.example/a", "ntfy"), ("\"url\"", "\"uri\""), ("/a\"", "/a\",\"timeout\":5"),
    ]
  )
  func refusedSubscription(what: String, with replacement: String) throws {
    let whole = #"{"subscribe":7,"url":"https://ntfy.example/a"}"#
    guard case .subscribe = try order(whole) else { return #expect(Bool(false)) }
    #expect(throws: CourierOrderError.refused(try #require(ExchangeID(rawValue: 7)), .malformed)) {
      try order(whole.replacing(what, with: replacement))
    }
  }

  @Test("a cancellation names the exchange that it cancels")
  func cancel() throws {
    guard case .cancel(.first) = try CourierOrder(parsing: CourierOrder.cancel(.first).serialized[...]) else {
      return #expect(Bool(false))
    }
  }

  @Test("a request above its limits is too large, not malformed")
  func limits() throws {
    let url = try #require(WebURL("https://example.com/"))
    #expect(CourierRequest(.post, url, body: .init(repeating: 0, count: 700 << 10)).problem == nil)
    #expect(CourierRequest(.post, url, body: .init(repeating: 0, count: 700 << 10 + 1)).problem == .tooLarge)
    let many = [CourierHeader](repeating: CourierHeader("a", "b"), count: 65)
    #expect(CourierRequest(.get, url, headers: many).problem == .tooLarge)
    let long = [CourierHeader("a", String(repeating: "b", count: 65536))]
    #expect(CourierRequest(.get, url, headers: long).problem == .tooLarge)
    #expect(CourierRequest(.get, url, body: [1]).problem == .malformed)
  }

  @Test("replies survive serialization")
  func replies() throws {
    let response = CourierResponse(
      status: 201,
      headers: [CourierHeader("Set-Cookie", "a=1")],
      body: [0, 255]
    )
    let bytes = CourierReply.response(.first, response).serialized
    guard case .response(.first, let arrived) = try CourierReply(parsing: bytes[...]) else {
      return #expect(Bool(false))
    }
    #expect(arrived.status == 201 && arrived.headers == response.headers && arrived.body == [0, 255])
    #expect(arrived.values(of: "set-cookie") == ["a=1"])
    for failure in CourierFailure.allCases {
      let bytes = CourierReply.failure(.first, failure).serialized
      guard case .failure(.first, failure) = try CourierReply(parsing: bytes[...]) else {
        return #expect(Bool(false))
      }
    }
  }

  @Test("replies about an expected redirect survive serialization")
  func redirects() throws {
    for port in [1, 49152, 65535] as [UInt16] {
      let bytes = CourierReply.listening(.first, port: port).serialized
      guard case .listening(.first, port) = try CourierReply(parsing: bytes[...]) else {
        return #expect(Bool(false))
      }
    }
    for query in ["a", "code=a%20b&state=\"\\?/", String(repeating: "q", count: 8192)] {
      let bytes = CourierReply.redirected(.first, query: query).serialized
      guard case .redirected(.first, query) = try CourierReply(parsing: bytes[...]) else {
        return #expect(Bool(false))
      }
    }
  }

  @Test("failures have the names of the protocol")
  func names() {
    #expect(
      CourierFailure.allCases.map(\.rawValue) == [
        "refused-origin", "refused-address", "unresolved", "refused", "unreachable", "timeout", "tls",
        "tls-expired", "tls-not-yet-valid", "tls-other-host", "tls-unknown-issuer", "too-large", "malformed",
        "cancelled", "busy", "misconfigured", "courier-gone",
      ]
    )
  }

  @Test(
    "a malformed reply is unreadable",
    arguments: [
      "{\"id\":1,\"failure\":\"weather\"}", "{\"id\":1}",
      "{\"id\":1,\"status\":99,\"headers\":[],\"body\":\"\"}",
      "{\"id\":1,\"status\":200,\"headers\":[],\"body\":\"*\"}", "{\"failure\":\"tls\"}", "x",
      "{\"id\":1,\"listening\":0}", "{\"id\":1,\"listening\":65536}", "{\"id\":1,\"listening\":\"80\"}",
      "{\"id\":1,\"listening\":80,\"query\":\"a\"}", "{\"id\":1,\"query\":\"\"}",
      "{\"id\":1,\"query\":\"a b\"}",
      "{\"id\":1,\"query\":\"a#b\"}", "{\"id\":1,\"query\":\"a\\r\\n\"}", "{\"id\":1,\"query\":\"ä\"}",
      "{\"id\":1,\"query\":\"LONG\"}",
    ]
  )
  func badReply(text: String) {
    let text = text.replacing("LONG", with: String(repeating: "q", count: 8193))
    #expect(throws: CourierReplyUnreadable.self) { try CourierReply(parsing: ArraySlice(text.utf8)) }
  }
}
