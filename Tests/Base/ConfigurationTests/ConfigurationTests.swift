import Configuration
import Glibc
import Journal
import Testing
import WebAddress

@Suite("Configuration")
struct ConfigurationTests {
  @Test("parser reads keys, repeated keys, comments and CRLF lines")
  func keys() throws {
    let configuration = try Configuration(
      parsing: """
        # the sandbox
        allow_loopback_http = yes
        platform = http://127.0.0.1:8080
        platform = Europe=https://eu.example/base
        issuer=http://127.0.0.1:8080/e/as\r
        issuer = https://auth.example/as

        id_token_algorithm = ES256
        retention_days = 7
        log_level = debug
        """,
      file: "mfad.conf"
    )
    #expect(configuration.platform(for: .europe)?.text == "https://eu.example/base")
    #expect(configuration.platform(for: .canada)?.origin.port == 8080)
    #expect(configuration.issuers == ["http://127.0.0.1:8080/e/as", "https://auth.example/as"])
    #expect(configuration.idTokenAlgorithms == ["ES256"])
    #expect(configuration.retentionDays == 7)
    #expect(configuration.logLevel == .debug)
    #expect(configuration.allowedOrigins.count == 3)
  }

  @Test("parsing 20,000 wrong lines takes less than ten times as long as correct lines")
  func wrongEverywhere() throws {
    func time(_ line: String) -> Duration {
      let text = String(repeating: line, count: 20_000)
      let before = Self.processorTime
      _ = try? Configuration(parsing: text, file: "f")
      return Self.processorTime - before
    }
    let right = (0..<3).map { _ in time("issuer = https://a.example\n") }.min()
    let wrong = (0..<3).map { _ in time("isuer = https://a.example\n") }.min()
    #expect(try #require(wrong) < #require(right) * 10)
  }

  /// CPU time of this thread, which other programs on the machine do not affect.
  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test("names of geographies match regardless of case")
  func geographies() throws {
    let read = try Configuration(parsing: "geo = europe\nplatform = CANADA=https://a.example", file: "f")
    #expect(read.geography == .europe && read.platforms.keys.contains(.canada))
  }

  @Test(
    "an invalid line is refused with its number and a hint",
    arguments: [
      ("nonsense", 1, "expected key = value"),
      ("\n\ncolour = red", 3, "unknown key \"colour\"; see mfad.conf(5)"),
      ("platfrm = https://a.example", 1, "unknown key \"platfrm\"; did you mean \"platform\"?"),
      ("a secret = x", 1, "unknown key; see mfad.conf(5)"),
      ("keep_session = true", 1, "yes or no"), ("retention_days = 0", 1, "1 to 3650"),
      ("geo = Mars", 1, "NorthAmerica"), ("id_token_algorithm = none", 1, "RS256"),
      ("id_token_algorithm = HS256", 1, "RS256"), ("platform = ftp://x", 1, "<url>"),
      ("geo = Europe\ngeo = Canada", 2, "already set in line 1"),
      ("platform = http://127.0.0.1:1", 1, "https://"),
      ("allow_loopback_http = yes\nissuer = http://example.com", 2, "loopback"),
      ("platform_key = short", 1, "thumbprint"), ("socket = relative", 1, "absolute path"),
      ("platform = https://a\nplatform = https://b", 2, "<url>"), ("scope = profile", 1, "openid"),
    ]
  )
  func refused(text: String, line: Int, hint: String) {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(parsing: text, file: "f") }
    #expect(error?.line == line)
    #expect(error?.description.contains(hint) == true)
  }

  @Test("a missing file is reported with its path and the system error")
  func missing() {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(file: "/nonexistent/mfad.conf") }
    #expect(error?.description == "/nonexistent/mfad.conf: No such file or directory")
  }
}
