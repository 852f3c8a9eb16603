import EventLoop
import HTTPServer
import SystemCalls
import TestHTTP
import TestLoop
import Testing

@Suite("HTTP server", .timeLimit(.minutes(30)))
struct HTTPServerTests {
  private func serving(
    _ handler: @escaping HTTPServer.Handler,
    _ body: @escaping @EventLoop @Sendable (UInt16) async throws -> Void
  ) async throws {
    try await TestLoop.run {
      let server = try HTTPServer(port: 0, handler: handler)
      try await body(server.port)
      server.stop()
    }
  }

  @Test("handler gets the request unchanged and the client gets its response")
  func echo() async throws {
    try await serving { request in
      let query = request.query?.map { "\($0.0)=\($0.1)" } ?? []
      let text = "\(request.method) \(request.target) \(query) \(request.headers["x-one"] ?? "-")"
      let headers = HTTPHeaders([("X-Two", "2"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])
      return .response(HTTPResponse(status: 201, headers: headers, body: Array(text.utf8) + request.body))
    } _: { port in
      let headers = [("x-One", "1")]
      let answer = try await TestHTTPClient.send(
        "POST",
        "/a/b%20c?x=1%202&y",
        port: port,
        headers: headers,
        body: [33]
      )
      #expect(answer.status == 201)
      #expect(answer.text == #"POST /a/b%20c?x=1%202&y ["x=1 2", "y="] 1!"#)
      #expect(answer.header("x-two") == "2")
      #expect(answer.headers.count { $0.name == "set-cookie" } == 2)
    }
  }

  @Test("a waiting handler does not block other requests")
  func waiting() async throws {
    let (arrived, released) = (Flag(), Flag())
    try await serving { request in
      if request.path == "/slow" {
        arrived.isSet = true
        await released.wait()
      }
      return .response(HTTPResponse(status: 200, body: Array(request.path.utf8)))
    } _: { port in
      let slow = Task { @EventLoop in try await TestHTTPClient.send("GET", "/slow", port: port).text }
      await arrived.wait()
      let fast = try await TestHTTPClient.send("GET", "/fast", port: port)
      #expect(fast.text == "/fast")
      released.isSet = true
      let text = try await slow.value
      #expect(text == "/slow")
    }
  }

  @Test("a client that disconnects cancels its request")
  func disconnect() async throws {
    let (arrived, cancelled) = (Flag(), Flag())
    try await serving { _ in
      arrived.isSet = true
      do { try await EventLoop.sleep(for: .seconds(60)) } catch { cancelled.isSet = true }
      return .dropConnection
    } _: { port in
      let client = try TestHTTPClient(port: port)
      try await client.write(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
      await arrived.wait()
      client.end()
      await cancelled.wait()
    }
  }

  @Test("stop closes waiting and newly arrived requests")
  func stopping() async throws {
    try await TestLoop.run {
      let arrived = Flag()
      let server = try HTTPServer(port: 0) { _ in
        arrived.isSet = true
        try? await EventLoop.sleep(for: .seconds(60))
        return .dropConnection
      }
      let clients = [try TestHTTPClient(port: server.port), try TestHTTPClient(port: server.port)]
      let request = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
      try await clients[0].write(request)
      await arrived.wait()
      // The server reads this request only during stop.
      try await clients[1].write(request)
      server.stop()
      for client in clients { #expect(await client.answer().raw.isEmpty) }
    }
  }

  @Test("a deallocated server closes its connections")
  func release() async throws {
    try await TestLoop.run {
      var limits = HTTPServerLimits()
      limits.lifetime = .seconds(60)
      var server: HTTPServer? = try HTTPServer(port: 0, limits: limits) { _ in .dropConnection }
      let client = try TestHTTPClient(port: try #require(server?.port))
      // This response proves that the server has accepted the earlier connection.
      #expect(try await TestHTTPClient.send("GET", "/", port: try #require(server?.port)).raw.isEmpty)
      server = nil
      #expect(await client.answer().raw.isEmpty)
    }
  }

  @Test("a body of 1 MiB is accepted, a larger one is refused with 413")
  func bodyLimit() async throws {
    try await serving { request in
      .response(HTTPResponse(status: 200, body: Array("\(request.body.count)".utf8)))
    } _: { port in
      let most = [UInt8](repeating: 7, count: 1024 * 1024)
      let taken = try await TestHTTPClient.send("POST", "/", port: port, body: most)
      #expect(taken.text == "1048576")
      let refused = try await TestHTTPClient.send("POST", "/", port: port, body: most + [7])
      #expect(refused.status == 413)
      let client = try TestHTTPClient(port: port)
      let head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      let chunk = Array("100001\r\n".utf8) + most + [7] + Array("\r\n0\r\n\r\n".utf8)
      try await client.write(Array(head.utf8) + chunk)
      #expect(await client.answer().status == 413)
    }
  }

  @Test("configured limits of body and connection memory apply")
  func limits() async throws {
    try await TestLoop.run {
      var limits = HTTPServerLimits()
      limits.connectionMemory = 4096
      limits.body = 10
      let server = try HTTPServer(port: 0, limits: limits) { _ in .response(HTTPResponse(status: 200)) }
      for (count, status) in [(10, 200), (11, 413)] {
        let body = [UInt8](repeating: 0, count: count)
        #expect(try await TestHTTPClient.send("POST", "/", port: server.port, body: body).status == status)
      }
      let long = "/" + String(repeating: "a", count: 4096)
      #expect(try await TestHTTPClient.send("GET", long, port: server.port).status != 200)
      server.stop()
    }
  }

  @Test("an idle or incomplete connection is closed after its lifetime")
  func places() async throws {
    try await TestLoop.run {
      var limits = HTTPServerLimits()
      limits.connections = 2
      limits.lifetime = .milliseconds(100)
      let server = try HTTPServer(port: 0, limits: limits) { _ in .response(HTTPResponse(status: 200)) }
      let slow = [try TestHTTPClient(port: server.port), try TestHTTPClient(port: server.port)]
      try await slow[0].write(Array("GET / HTTP/1.1\r\n".utf8))
      // On a busy machine a complete request can exceed the lifetime too.
      while try await TestHTTPClient.send("GET", "/", port: server.port).status != 200 {}
      for client in slow { #expect(await client.answer().status == 0) }
      server.stop()
    }
  }

  @Test("finish answers only started requests, up to its time limit")
  func finishing() async throws {
    for isPatient in [true, false] {
      try await TestLoop.run {
        let (arrived, released) = (Flag(), Flag())
        var server: HTTPServer? = try HTTPServer(port: 0) { _ in
          arrived.isSet = true
          if isPatient { await released.wait() } else { try? await EventLoop.sleep(for: .seconds(60)) }
          return .response(HTTPResponse(status: 200, headers: HTTPHeaders([("Connection", "close")])))
        }
        let port = try #require(server?.port)
        let (begun, idle) = (try TestHTTPClient(port: port), try TestHTTPClient(port: port))
        let request = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        try await begun.write(request)
        await arrived.wait()
        server?.finish(within: isPatient ? .seconds(60) : .milliseconds(50))
        server = nil
        #expect(throws: SystemError.self) { try TestHTTPClient(port: port) }
        try await idle.write(request)
        #expect(await idle.answer().raw.isEmpty)
        released.isSet = true
        #expect(await begun.answer().status == (isPatient ? 200 : 0))
      }
    }
  }

  @Test("dropConnection sends nothing, and rawBytes are sent unchanged")
  func faults() async throws {
    try await serving { request in
      request.path == "/drop" ? .dropConnection : .rawBytes([1, 2, 3])
    } _: { port in
      let dropped = try await TestHTTPClient.send("GET", "/drop", port: port)
      #expect(dropped.raw.isEmpty)
      let raw = try await TestHTTPClient.send("GET", "/raw", port: port)
      #expect(raw.raw == [1, 2, 3])
    }
  }

  @Test(
    "malformed HTTP does not affect later requests",
    arguments: ["\u{0}\u{1}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9\r\n\r\n"]
  )
  func nonsense(_ text: String) async throws {
    try await serving { _ in
      .response(HTTPResponse(status: 200))
    } _: { port in
      let client = try TestHTTPClient(port: port)
      try await client.write(Array(text.utf8))
      try await EventLoop.sleep(for: .milliseconds(20))
      client.end()
      #expect(try await TestHTTPClient.send("GET", "/", port: port).status == 200)
    }
  }
}

@EventLoop
private final class Flag: Sendable {
  var isSet = false
  nonisolated init() {}

  func wait() async {
    while !isSet { _ = try? await EventLoop.sleep(for: .milliseconds(1)) }
  }
}
