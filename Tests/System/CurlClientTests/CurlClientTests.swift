import CurlClient
import EventLoop
import TestLoop
import TestNetwork
import Testing
import WebAddress

@Suite("HTTP by libcurl", .timeLimit(.minutes(30)))
struct CurlClientTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  @Test("a response has its status, headers in order and body")
  func answer() async throws {
    try await TestLoop.run {
      let response = try await CurlClient(.loopback).get(server, "/hello")
      #expect(response.status == 200)
      #expect(response.text == "hello")
      #expect(response.values(of: "Set-Cookie") == ["a=1; Path=/", "b=2"])
      #expect(response.values(of: "X-Empty") == [""])
    }
  }

  @Test("a request is sent unchanged", arguments: ["GET", "POST", "PUT", "DELETE"])
  func request(method: String) async throws {
    try await TestLoop.run {
      let url = try server.url("/echo/../%2e/a?x=%20&y")
      let body: [UInt8] = method == "GET" ? [] : [0, 1, 0xFF, 0]
      let headers = [("Cookie", "a=1; b=2"), ("X-Empty", ""), ("X-Text", "ä: 1; 2")]
      let response = try await CurlClient(.loopback).send(
        CurlRequest(method, url, headers: headers.map { (name: $0, value: $1) }, body: body)
      ).get()
      #expect(response.text.contains("\"method\": \"\(method)\""))
      #expect(response.text.contains("\"path\": \"/echo/../%2e/a?x=%20&y\""))
      #expect(response.text.contains("\"body\": \"\(body.isEmpty ? "" : "0001ff00")\""))
      #expect(response.text.contains("[\"Cookie\", \"a=1; b=2\"]"))
      #expect(response.text.contains("[\"X-Empty\", \"\"]"))
      #expect(response.text.contains("[\"User-Agent\", \"mfad-test\"]"))
      for absent in ["Accept-Encoding", "Content-Type", "Expect", "Authorization"] {
        #expect(!response.text.contains("\"\(absent)\""))
      }
    }
  }

  @Test("cookies of a response are not sent with the next request")
  func noCookies() async throws {
    try await TestLoop.run {
      let client = CurlClient(.loopback)
      _ = try await client.get(server, "/hello")
      #expect(try await !client.get(server, "/echo").text.contains("Cookie"))
    }
  }

  @Test("a redirect is returned and not followed")
  func redirect() async throws {
    try await TestLoop.run {
      let client = CurlClient(.loopback)
      let response = try await client.get(server, "/redirect")
      #expect(response.status == 302)
      #expect(try await client.get(server, "/count/hello").text == "0")
    }
  }

  @Test("headers of interim responses and trailers are dropped")
  func interim() async throws {
    try await TestLoop.run {
      let client = CurlClient(.loopback)
      let response = try await client.get(server, "/interim")
      #expect(response.status == 200 && response.text == "late")
      #expect(response.values(of: "X-Early").isEmpty)
      #expect(try await client.get(server, "/stream/2048").values(of: "X-Trailer").isEmpty)
    }
  }

  @Test("a body or header above its limit fails with tooLarge", arguments: ["bytes", "stream"])
  func bodyLimit(kind: String) async throws {
    try await TestLoop.run {
      let client = CurlClient(.loopback)
      let largest = try await client.get(server, "/\(kind)/1048576")
      #expect(largest.body.count == 1 << 20)
      #expect(try await client.failure(server, "/\(kind)/1049600") == .tooLarge)
      #expect(try await client.failure(server, "/headers/70") == .tooLarge)
    }
  }

  @Test("a request without a response ends after its timeout")
  func timeout() async throws {
    try await TestLoop.run {
      let client = CurlClient(.loopback)
      // On a busy machine the request can time out before it is sent: then the server never sees it.
      repeat {
        let failure = try await client.failure(server, "/hold", timeout: .milliseconds(200))
        #expect(failure == .timeout)
      } while try await client.get(server, "/count/held").text == "0"
      // Also counts a request that the server received late.
      #expect(try await client.get(server, "/await/left/1").status == 200)
    }
  }

  @Test("a cancelled request is aborted and its completion never called")
  func cancel() async throws {
    try await TestLoop.run {
      let client = CurlClient(.loopback)
      var isCompleted = false
      let transfer = try client.start(CurlRequest("GET", server.url("/hold"))) { _ in isCompleted = true }
      #expect(try await client.get(server, "/await/held/1").text == "1")
      transfer.cancel()
      transfer.cancel()
      #expect(try await client.get(server, "/await/left/1").text == "1")
      #expect(!isCompleted)
    }
  }

  @Test("broken response, refused connection and unresolved name give different errors")
  func unreachable() async throws {
    try await TestLoop.run {
      let client = CurlClient(.loopback)
      for url in [try server.url("/garbage"), try server.url("/drop")] {
        guard case .unreachable = await client.failure(url) else {
          Issue.record("\(url.text) is not unreachable")
          continue
        }
      }
      guard case .refused = await client.failure(try unusedURL()),
        case .unresolved = await client.failure(try #require(WebURL("https://mfad.invalid/")))
      else { throw CurlError.setUp("a failure was taken for another") }
    }
  }

  @Test("a GET reuses the connection; a POST is never sent twice")
  func connections() async throws {
    try await TestLoop.run {
      let client = CurlClient(.loopback)
      for _ in 0..<3 { _ = try await client.get(server, "/hello") }
      #expect(try await client.get(server, "/count/connections").text == "1")
      let outcome = await client.send(CurlRequest("POST", try server.url("/drop")))
      #expect(throws: CurlError.self) { try outcome.get() }
      #expect(try await client.get(server, "/count/drop").text == "1")
    }
  }

  @Test("a loop iteration takes about 100 KiB of a response at most, also if more has arrived")
  func pieces() async throws {
    try await TestLoop.run {
      let client = CurlClient(.loopback)
      let url = try server.url("/pieces/100000")
      var pieces: [Int] = []
      try await withCheckedThrowingContinuation { (over: CheckedContinuation<Void, any Error>) in
        do {
          _ = try client.start(CurlRequest("GET", url), onBytes: { pieces.append($0.count) }) {
            over.resume(with: $0.map { _ in }.mapError { $0 as any Error })
          }
        } catch { over.resume(throwing: error) }
      }
      // A chunk of one byte takes six bytes of the response.
      #expect(pieces.reduce(0, +) == 100_000 && pieces.allSatisfy { $0 <= (102 << 10) / 6 })
    }
  }

  @Test("64 requests run in parallel")
  func concurrency() async throws {
    try await TestLoop.run {
      let client = CurlClient(.loopback)
      let tasks = try (0..<64).map { _ in
        let url = try server.url("/hold")
        return Task { @EventLoop in try await client.get(url).text }
      }
      _ = try await client.get(server, "/await/held/64")
      _ = try await client.get(server, "/release")
      for task in tasks { #expect(try await task.value == "held") }
    }
  }

  @Test("a client with idle connections is deallocated")
  func release() async throws {
    try await TestLoop.run {
      var client: CurlClient? = CurlClient(.loopback)
      _ = try await client?.get(server, "/hello")
      weak let former = client
      client = nil
      #expect(former == nil)
    }
  }

  private func unusedURL() throws -> WebURL {
    // Listening on port 1 needs a privilege, and no process listens there.
    try #require(WebURL("http://127.0.0.1:1/"))
  }
}
