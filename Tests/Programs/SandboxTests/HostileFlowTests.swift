import EventLoop
import JSON
import TestHTTP
import Testing
import WebAddress

@Suite("hostile flows", .timeLimit(.minutes(30)))
struct HostileFlowTests {
  /// The response after the first page of a flow.
  @EventLoop
  private static func second(_ flow: String, _ bench: Bench) async throws -> TestHTTPAnswer {
    let client = try FlowClient(bench, flow)
    try await client.start()
    let body: JSON = [
      "id": client.page["id"] ?? "", "eventName": "continue",
      "parameters": ["eventType": "submit", "data": ["actionKey": "submit", "formData": [:]]],
    ]
    let next = try #require(client.page["_links"]?["next"]?["href"]?.string)
    return try await client.send("POST", next, type: "application/json", body: body.serialized)
  }

  @Test("each hostile flow has the defect in its name")
  func badness() async throws {
    try await Bench.run(flow: nil) { bench in
      let html = try await Self.second("hostile-html", bench)
      #expect(html.header("content-type") == "text/html")
      let half = try await Self.second("hostile-half", bench)
      #expect(half.text.hasPrefix(#"{"interactionId""#))
      #expect(throws: JSONError.self) { try JSON(parsing: half.body) }
      let large = try await Self.second("hostile-large", bench)
      #expect(large.body.count > 10 * 1024 * 1024)
      let deep = try await Self.second("hostile-deep", bench)
      #expect(throws: JSONError.tooDeep) { try JSON(parsing: deep.body) }
      let link = try JSON(parsing: try await Self.second("hostile-foreign-link", bench).body)
      #expect(link["_links"]?["next"]?["href"]?.string?.hasPrefix("https://evil.example/") == true)
      let cookie = try await Self.second("hostile-cookie", bench)
      #expect(cookie.headers.contains { $0.name == "set-cookie" && $0.value.contains("Domain=evil.example") })
      let redirect = try await Self.second("hostile-redirect", bench)
      #expect(redirect.status == 302)
      let over = try JSON(parsing: try await Self.second("hostile-unauthorized", bench).body)
      #expect(over["code"] == 1999)
      let unavailable = try await Self.second("hostile-unavailable", bench)
      #expect(unavailable.status == 503)
      let state = try JSON(parsing: try await Self.second("hostile-state", bench).body)
      #expect(state["authorizeResponse"]?["state"] == "another")
    }
  }

  @Test("endless pages have new ids")
  func endless() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try FlowClient(bench, "hostile-endless")
      try await client.start()
      var nodes: Set<String> = []
      for _ in 0..<50 {
        let answer = try await client.next(["a": "x"])
        #expect(answer.status == 200)
        nodes.insert(client.page["id"]?.string ?? "")
      }
      #expect(nodes.count == 50)
    }
  }

  @Test("an ended flow accepts no answer")
  func ended() async throws {
    try await Bench.run(flow: nil) { bench in
      let client = try FlowClient(bench, "hostile-failed")
      try await client.start()
      let failed = try await client.next()
      #expect(failed.body["status"] == "FAILED")
      let again = try await client.next()
      #expect(again.status == 401)
    }
  }
}
