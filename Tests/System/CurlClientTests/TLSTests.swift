import CurlClient
import EventLoop
import Glibc
import TestLoop
import TestNetwork
import Testing
import WebAddress

@Suite("TLS", .timeLimit(.minutes(30)))
struct TLSTests {
  private let authority: TestAuthority

  init() throws { authority = try TestAuthority() }

  private func failure(_ url: WebURL, trusting file: String?) async throws -> CurlError? {
    try await TestLoop.run {
      let settings = CurlSettings(
        certificateAuthorityFile: file,
        userAgent: "mfad-test",
        connectTimeout: .seconds(40)
      )
      return await CurlClient(settings).failure(url)
    }
  }

  @Test("a certificate of the configured CA is trusted for its host name only")
  func trusted() async throws {
    let server = try TestServer(authority.identity("server", for: "DNS:localhost"))
    #expect(try await failure(server.url("/hello", host: "localhost"), trusting: authority.file) == nil)
    let byAddress = try await failure(server.url("/hello"), trusting: authority.file)
    #expect(byAddress == .certificate(.otherHost))
  }

  @Test(
    "a certificate outside its validity period is rejected",
    arguments: [(-5, CertificateRejection.expired), (5, .notYetValid)]
  )
  func time(_ daysFromNow: Int, _ rejection: CertificateRejection) async throws {
    let identity = try authority.identity("server", for: "DNS:localhost", daysFromNow: daysFromNow)
    let server = try TestServer(identity)
    let failure = try await failure(server.url("/hello", host: "localhost"), trusting: authority.file)
    #expect(failure == .certificate(rejection))
  }

  @Test("an unknown CA and a missing CA file are rejected")
  func untrusted() async throws {
    let server = try TestServer(authority.identity("server", for: "DNS:localhost"))
    let url = try server.url("/hello", host: "localhost")
    let other = try TestAuthority()
    for file in [other.file, nil] {
      #expect(try await failure(url, trusting: file) == .certificate(.unknownIssuer))
    }
    withExtendedLifetime(other) {}
    guard case .tls = try await failure(url, trusting: "/nonexistent/ca.pem") else {
      Issue.record("trusted without the configured authorities")
      return
    }
  }

  @Test("TLS 1.1 is refused even if OpenSSL's configuration allows it")
  func oldVersion() async {
    // Runs in a separate process, because OpenSSL reads its configuration once.
    await #expect(processExitsWith: .success) {
      let directory = try TestDirectory()
      let text = """
        openssl_conf = all
        [all]
        ssl_conf = ssl
        [ssl]
        system_default = lax
        [lax]
        MinProtocol = TLSv1
        CipherString = ALL:@SECLEVEL=0
        """
      setenv("OPENSSL_CONF", try directory.write(text, to: "openssl.cnf"), 1)
      let authority = try TestAuthority()
      let identity = try authority.identity("server", for: "DNS:localhost")
      let (old, new) = (try TestServer(identity, onlyTLS11: true), try TestServer(identity))
      try await TestLoop.run {
        let settings = CurlSettings(
          certificateAuthorityFile: authority.file,
          userAgent: "mfad-test",
          connectTimeout: .seconds(40)
        )
        let client = CurlClient(settings)
        let failure = try await client.failure(old, "/hello", host: "localhost")
        guard case .tls = failure else { throw TestProgram.Failure(what: "\(String(describing: failure))") }
        _ = try await client.get(new, "/hello", host: "localhost")
      }
    }
  }

  @Test("a plain HTTP server on an https URL gives a TLS error")
  func noTLS() async throws {
    let server = try TestServer()
    let url = try #require(WebURL("https://localhost:\(server.port)/hello"))
    guard case .tls = try await failure(url, trusting: authority.file) else {
      Issue.record("a connection was made")
      return
    }
  }
}
