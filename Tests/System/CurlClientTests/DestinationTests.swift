import CurlClient
import EventLoop
import Glibc
import TestLoop
import TestNetwork
import Testing
import WebAddress

@Suite("Request destinations", .timeLimit(.minutes(30)))
struct DestinationTests {
  @Test("plain HTTP is allowed only to loopback, and only if configured")
  func plainHTTP() async throws {
    let server = try TestServer()
    try await TestLoop.run {
      let strict = CurlClient(CurlSettings(userAgent: "mfad-test"))
      let failure = try await strict.failure(server, "/hello")
      #expect(failure == .refusedScheme)
      let url = try #require(WebURL("http://example.com/"))
      #expect(await CurlClient(.loopback).failure(url) == .refusedScheme)
      #expect(try await CurlClient(.loopback).get(server, "/count/connections").text == "1")
    }
  }

  @Test("a name that resolves to loopback is refused, except localhost")
  func privateAddress() async throws {
    let authority = try TestAuthority()
    let names = "DNS:localhost,DNS:name.localhost,IP:127.0.0.1"
    let server = try TestServer(authority.identity("server", for: names))
    try await TestLoop.run {
      var settings = CurlSettings.loopback
      settings.certificateAuthorityFile = authority.file
      let client = CurlClient(settings)
      for host in ["name.localhost", "127.1"] {
        let failure = try await client.failure(server, "/hello", host: host)
        #expect(failure == .refusedAddress)
      }
      for host in ["localhost", "127.0.0.1"] {
        #expect(try await client.get(server, "/hello", host: host).text == "hello")
      }
      // Each of the two names needs its own connection, because TLS verifies the name.
      #expect(try await client.get(server, "/count/connections").text == "2")
    }
  }

  @Test(
    "a header with a line break, NUL or colon in the name is refused",
    arguments: ["a\r\nX-B: 1", "a\n", "a\0b"]
  )
  func injection(value: String) async throws {
    let server = try TestServer()
    try await TestLoop.run {
      let client = CurlClient(.loopback)
      for header in [(name: "X-A", value: value), (name: value, value: "x"), (name: "X:Y", value: "x")] {
        let outcome = await client.send(CurlRequest("GET", try server.url("/hello"), headers: [header]))
        #expect(throws: CurlError.malformedHeader) { try outcome.get() }
      }
    }
  }

  @Test("proxy environment variables are ignored")
  func environment() async {
    // Runs in a separate process, because all tests share the environment.
    await #expect(processExitsWith: .success) {
      for name in ["http_proxy", "HTTPS_PROXY", "ALL_PROXY"] { setenv(name, "http://127.0.0.1:1", 1) }
      setenv("NO_PROXY", "example.com", 1)
      let authority = try TestAuthority()
      let secure = try TestServer(authority.identity("server", for: "DNS:localhost"))
      let plain = try TestServer()
      try await TestLoop.run {
        var settings = CurlSettings.loopback
        settings.certificateAuthorityFile = authority.file
        let client = CurlClient(settings)
        _ = try await client.get(plain, "/hello")
        _ = try await client.get(secure, "/hello", host: "localhost")
      }
    }
  }

  @Test("the configured proxy is used, except for loopback")
  func proxy() async throws {
    let server = try TestServer()
    try await TestLoop.run {
      var settings = CurlSettings.loopback
      settings.proxy = try server.url("/")
      let client = CurlClient(settings)
      let url = try #require(WebURL("https://mfad.invalid/"))
      guard case .unreachable = await client.failure(url) else {
        Issue.record("a proxy that refuses is not unreachable")
        return
      }
      #expect(try await client.get(server, "/count/CONNECT-mfad.invalid:443").text == "1")
    }
  }
}
