/// A certificate authority for a test, created with the `openssl` command.
package final class TestAuthority: Sendable {
  /// The files of a certificate and its key.
  package struct Identity: Sendable {
    /// Path of the certificate.
    package let certificate: String
    /// Path of its private key.
    package let key: String
  }

  /// Path of the authority's certificate.
  package var file: String { "\(directory.path)/ca.pem" }
  private let directory: TestDirectory

  /// Makes the authority.
  package init() throws {
    directory = try TestDirectory()
    let options = ["-addext", "keyUsage=critical,keyCertSign", "-subj", "/CN=test authority"]
    try openssl(
      ["req", "-x509"] + Self.newKey + ["-keyout", "ca.key", "-out", "ca.pem", "-days", "2"] + options
    )
  }

  /// Creates a certificate for names with their types, such as `DNS:localhost` or `IP:127.0.0.1`.
  ///
  /// It is valid for two days.
  package func identity(_ name: String, for names: String, daysFromNow: Int = 0) throws -> Identity {
    try openssl(
      ["req"] + Self.newKey + ["-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=test"]
    )
    let extensions = try directory.write("subjectAltName=\(names)\n", to: "\(name).ext")
    try openssl(
      [
        "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
        "2", "-extfile", extensions, "-out", "\(name).pem",
      ],
      daysFromNow: daysFromNow
    )
    return Identity(certificate: "\(directory.path)/\(name).pem", key: "\(directory.path)/\(name).key")
  }

  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

  private func openssl(_ arguments: [String], daysFromNow: Int = 0) throws {
    // The messages of openssl go to the test's standard error.
    let clock = daysFromNow == 0 ? "" : "faketime -f '\(daysFromNow > 0 ? "+" : "")\(daysFromNow)d' "
    let quoted = arguments.map { "'\($0)'" }.joined(separator: " ")
    _ = try TestProgram.run(["sh", "-c", "cd '\(directory.path)' && \(clock)openssl \(quoted) 2>&1"])
  }
}
