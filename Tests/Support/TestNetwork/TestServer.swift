package import WebAddress

/// An HTTP server on a free port of this machine, in a separate process.
///
/// `server.py` describes its paths.
package final class TestServer: Sendable {
  /// The port.
  package let port: Int
  private let scheme: String
  private let program: TestProgram

  /// Starts a server that speaks plain HTTP.
  package convenience init() throws { try self.init(scheme: "http", []) }

  /// Starts a server that speaks TLS with a certificate.
  package convenience init(_ identity: TestAuthority.Identity, onlyTLS11: Bool = false) throws {
    let arguments = ["--tls", identity.certificate, identity.key]
    try self.init(scheme: "https", arguments + (onlyTLS11 ? ["--only-tls11"] : []))
  }

  private init(scheme: String, _ arguments: [String]) throws {
    let script = #filePath.replacing("TestServer.swift", with: "server.py")
    program = try TestProgram([TestProgram.python, "-S", "-W", "ignore", script] + arguments)
    guard let port = Int(try program.readLine()) else { throw TestProgram.Failure(what: "no port") }
    self.port = port
    self.scheme = scheme
  }

  /// Returns the URL of a path, with this spelling of the host.
  package func url(_ path: String, host: String = "127.0.0.1") throws -> WebURL {
    guard let url = WebURL("\(scheme)://\(host):\(port)\(path)") else {
      throw TestProgram.Failure(what: "no URL: \(path)")
    }
    return url
  }
}
