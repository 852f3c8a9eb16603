import Courier
import CourierProtocol
import EventLoop
import TestHTTP
import TestLoop
import Testing

@Suite("redirects on the loopback interface", .timeLimit(.minutes(30)))
struct RedirectTests {
  private func run(
    _ path: String = "/callback",
    _ body: @escaping @EventLoop @Sendable (TestPeer, UInt16) async throws -> Void
  ) async throws {
    try await TestLoop.run {
      let courier = try Courier()
      let peer = try TestPeer(of: courier)
      peer.listen(path)
      try await body(peer, try await peer.port())
      courier.stop()
    }
  }

  @Test(
    "a redirect's query is passed on unchanged, and the page does not contain it"
  )
  func redirect() async throws {
    let longest = "state=s&code=" + String(repeating: "c", count: 8192 - 13)
    for query in ["code=a%20b&state=%73&x=%2B+?/?", "state=s&=", longest] {
      try await run("/redirect") { peer, port in
        let answer = try await Self.get("/redirect?" + query, port)
        #expect(await peer.next() == .redirected(query))
        #expect(answer.status == 200 && answer.text.contains("You can close this window"))
        #expect(!String(decoding: answer.raw, as: UTF8.self).contains("code"))
        #expect(!answer.text.contains("<script") && !answer.text.contains("http"))
        #expect(answer.header("content-type") == "text/html; charset=utf-8")
        #expect(answer.header("content-security-policy")?.hasPrefix("default-src 'none';") == true)
        #expect(answer.header("cache-control") == "no-store")
        #expect(answer.header("referrer-policy") == "no-referrer")
        #expect(answer.header("x-content-type-options") == "nosniff")
        #expect(answer.header("x-frame-options") == "DENY")
        // The courier keeps the port, so that no other process gets later requests to it. The redirect counts
        // once.
        let again = try await Self.get("/redirect?" + query, port)
        #expect(again.status == 200 && again.text == answer.text)
        peer.send(.cancel(peer.lastID))
        #expect(await peer.next() == .failure(.cancelled))
        #expect(await !TestPeer.isListening(port, for: "/redirect"))
      }
    }
  }

  @Test(
    "a request without the state gets the same page and does not end the wait",
    arguments: [
      "code=forged", "code=forged&state=forged", "state=", "state=S", "state=ss", "state=s&state=s",
      "State=s", "state=s%00", "state=%zz",
      "state=043a718774c572bd8a25adbeb1bfcd5c0256ae11cecf9f9c3f925d0e52beaf89",
      "state=BDpxh3TFcr2KJa2+sb/NXAJWrhHOz5+cP5JdDlK+r4k=", "error=access_denied",
    ]
  )
  func foreign(query: String) async throws {
    try await run { peer, port in
      let answer = try await Self.get("/callback?" + query, port)
      #expect(answer.status == 200 && answer.text.contains("You can close this window"))
      try await Self.expectWaiting(peer, port)
    }
  }

  @Test("localhost is accepted as host")
  func localhost() async throws {
    try await run { peer, port in
      let answer = try await Self.send(
        "GET /callback?state=s HTTP/1.1\r\nHost: LocalHost:\(port)\r\n\r\n",
        port
      )
      #expect(answer.status == 200)
      #expect(await peer.next() == .redirected("state=s"))
    }
  }

  @Test(
    "any other request is rejected and does not end the wait",
    arguments: [
      ("GET /favicon.ico HTTP/1.1\r\nHost: HERE\r\n\r\n", 404),
      ("GET /callback/?a HTTP/1.1\r\nHost: HERE\r\n\r\n", 404),
      ("GET //callback?a HTTP/1.1\r\nHost: HERE\r\n\r\n", 404),
      ("GET /Callback?a HTTP/1.1\r\nHost: HERE\r\n\r\n", 404),
      ("GET /callbac%6B?a HTTP/1.1\r\nHost: HERE\r\n\r\n", 404),
      ("GET /callbac\u{212A}?a HTTP/1.1\r\nHost: HERE\r\n\r\n", 404),
      ("GET http://HERE/callback?a HTTP/1.1\r\nHost: HERE\r\n\r\n", 404),
      ("GET ?a HTTP/1.1\r\nHost: HERE\r\n\r\n", 404),
      ("POST /callback?a HTTP/1.1\r\nHost: HERE\r\nContent-Length: 0\r\n\r\n", 405),
      ("HEAD /callback?a HTTP/1.1\r\nHost: HERE\r\n\r\n", 405),
      ("get /callback?a HTTP/1.1\r\nHost: HERE\r\n\r\n", 405),
      ("GET /callback?a HTTP/1.1\r\nHost: evil.example:PORT\r\n\r\n", 400),
      ("GET /callback?a HTTP/1.1\r\nHost: evil.example\r\n\r\n", 400),
      ("GET /callback?a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
      ("GET /callback?a HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 400),
      ("GET /callback?a HTTP/1.1\r\nHost: localhost.:PORT\r\n\r\n", 400),
      ("GET /callback?a HTTP/1.1\r\nHost: x@HERE\r\n\r\n", 400),
      ("GET /callback?a HTTP/1.1\r\nHost: HERE\r\nHost: evil.example\r\n\r\n", 400),
      ("GET /callback?a HTTP/1.1\r\n\r\n", 400),
      ("GET /callback?a HTTP/1.0\r\n\r\n", 400),
      ("GET /callback HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
      ("GET /callback? HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
      ("GET /callback?a#b HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
      ("GET /callback?ä HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
      ("GET /callback?a\u{1}b HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
      ("GET /callback?LONG HTTP/1.1\r\nHost: HERE\r\n\r\n", 400),
      ("POST /callback?a HTTP/1.1\r\nHost: HERE\r\nContent-Length: 1\r\n\r\nx", 413),
      ("GET /callback?a HTTP/1.1\r\nHost: HERE\r\nContent-Length: 1\r\n\r\nx", 413),
    ]
  )
  func refused(request: String, status: Int) async throws {
    try await run { peer, port in
      let text = request.replacing("HERE", with: "127.0.0.1:\(port)").replacing("PORT", with: "\(port)")
        .replacing("LONG", with: String(repeating: "a", count: 8193))
      let answer = try await Self.send(text, port)
      #expect(answer.status == status)
      #expect(answer.header("x-content-type-options") == "nosniff" || status == 413)
      try await Self.expectWaiting(peer, port)
    }
  }

  @Test(
    "malformed and partial requests do not end the wait",
    arguments: [
      "", "\r\n\r\n", "\u{0}\u{1}\r\n\r\n", "GET /callback?a", "GET /callback?a HTTP/1.1\r\nHost: 127.0",
      "GET /callback?a HTTP/9\r\n\r\n", "GET /callback?a\r\n\r\n", "GET /callback?a HTTP/1.1 x\r\n\r\n",
      "GET /callback?a HTTP/1.1\r\nHost\r\n\r\n",
    ]
  )
  func nonsense(text: String) async throws {
    try await run { peer, port in
      let client = try TestHTTPClient(port: port)
      try await client.write(Array(text.utf8))
      try await Self.expectWaiting(peer, port)
      client.end()
    }
  }

  @Test("an endless line is rejected")
  func hugeLine() async throws {
    try await run { peer, port in
      for head in ["GET /callback?", "GET / HTTP/1.1\r\nX-A: "] {
        let answer = try await Self.send(head + String(repeating: "a", count: 1 << 20), port)
        #expect(answer.status != 200)
      }
      try await Self.expectWaiting(peer, port)
    }
  }

  @Test("the first of several redirects is used")
  func several() async throws {
    try await run { peer, port in
      var (port, isWhole) = (port, false)
      while !isWhole {
        let begin = EventLoop.uptime
        let head = " HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        let (half, whole) = (try TestHTTPClient(port: port), try TestHTTPClient(port: port))
        try await half.write(Array("GET /callback?state=s&half HTTP/1.1\r\n".utf8))
        try await whole.write(
          Array("GET /callback?state=s&first\(head)GET /callback?state=s&second\(head)".utf8)
        )
        #expect(await peer.next() == .redirected("state=s&first"))
        try await half.write(Array("Host: 127.0.0.1:\(port)\r\n\r\n".utf8))
        let answers = [await whole.answer(), await half.answer()]
        isWhole = EventLoop.uptime - begin < Self.lifetime || answers.allSatisfy { $0.status != 0 }
        if isWhole {
          #expect(answers[0].status == 200 && !answers[0].text.contains("HTTP/1.1"))
          #expect(answers[1].status == 200)
        }
        peer.listen()
        port = try await peer.port()
      }
    }
  }

  @Test("a hundred silent connections are closed, and the redirect is still received")
  func crowd() async throws {
    try await run { peer, port in
      let crowd = try (0..<100).map { _ in try TestHTTPClient(port: port) }
      for client in crowd[..<50] { try await client.write(Array("GET /callback?a HTTP/1.1\r\n".utf8)) }
      try await Self.expectWaiting(peer, port)
      for client in crowd { client.end() }
    }
  }

  /// Checks that the redirect is still received.
  @EventLoop
  private static func expectWaiting(_ peer: TestPeer, _ port: UInt16) async throws {
    #expect(try await get("/callback?at=last&state=s", port).status == 200)
    #expect(await peer.next() == .redirected("at=last&state=s"))
  }

  /// Lifetime of a connection.
  ///
  /// The courier then closes it silently, and a browser retries.
  private static let lifetime = Duration.seconds(5)

  /// Sends the request again if the machine was too busy to answer within the lifetime of a connection.
  @EventLoop
  private static func asking(
    _ ask: @EventLoop () async throws -> TestHTTPAnswer
  ) async throws -> TestHTTPAnswer {
    while true {
      let begin = EventLoop.uptime
      let answer = try await ask()
      if answer.status != 0 || EventLoop.uptime - begin < lifetime { return answer }
    }
  }

  @EventLoop
  private static func get(_ target: String, _ port: UInt16) async throws -> TestHTTPAnswer {
    try await asking { try await TestHTTPClient.send("GET", target, port: port) }
  }

  @EventLoop
  private static func send(_ text: String, _ port: UInt16) async throws -> TestHTTPAnswer {
    try await asking {
      let client = try TestHTTPClient(port: port)
      try await client.write(Array(text.utf8))
      return await client.answer()
    }
  }
}
