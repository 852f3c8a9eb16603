internal import Glibc
internal import SystemCalls
internal import Text
internal import WebAddress

extension Configuration {
  private static let maximumSize = 1 << 20

  /// Reads a file of `key = value` lines; throws an error with the line number if a line is invalid.
  public init(file: String) throws(ConfigurationError) {
    try self.init(parsing: try Self.contents(of: file), file: file)
  }

  /// Reads the text of a configuration file; `file` is its name in errors.
  public init(parsing text: String, file: String) throws(ConfigurationError) {
    var problem: ConfigurationError?
    self.init(salvaging: text, file: file, problem: &problem)
    if let problem { throw problem }
  }

  /// Returns the settings of the valid lines; all other settings have their defaults.
  public static func salvaged(from file: String) -> Configuration {
    var problem: ConfigurationError?
    let text = try? contents(of: file)
    return Configuration(salvaging: text ?? "", file: file, problem: &problem)
  }

  private init(salvaging text: String, file: String, problem: inout ConfigurationError?) {
    self.init()
    var firstLines: [String: Int] = [:]
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let content = Substring(line).trimmed(where: Self.isBlank)
      guard !content.isEmpty, !content.hasPrefix("#") else { continue }
      do throws(LineError) { try take(content, number: index + 1, firstLines: &firstLines) } catch {
        problem = problem ?? error.told(file: file, line: index + 1)
      }
    }
    do throws(ConfigurationError) { try checkSchemes(file: file, lines: firstLines) } catch {
      problem = problem ?? error
    }
  }

  /// The problem of an invalid line; `words` composes the message, for the first invalid line only.
  private struct LineError: Error {
    var key: String?
    let words: @Sendable () -> String

    func told(file: String, line: Int) -> ConfigurationError {
      // A name that is not an identifier can be anything, even a secret.
      let name = key.flatMap { $0.isIdentifier ? $0 : nil }
      return ConfigurationError(file: file, line: line, key: name, problem: words())
    }
  }

  private mutating func take(
    _ content: Substring,
    number: Int,
    firstLines: inout [String: Int]
  ) throws(LineError) {
    guard let split = content.firstIndex(of: "=") else { throw LineError { "expected key = value" } }
    let name = String(content[..<split].trimmed(where: Self.isBlank))
    let value = String(content[content.index(after: split)...].trimmed(where: Self.isBlank))
    guard let key = ConfigurationKey.all.first(where: { $0.name == name }) else {
      throw LineError(key: name) {
        let hint = ConfigurationKey.all.map(\.name).nearest(to: name).map { "did you mean \"\($0)\"?" }
        let shown = name.isIdentifier ? " \"\(name)\"" : ""
        return "unknown key\(shown); \(hint ?? "see mfad.conf(5)")"
      }
    }
    if let first = firstLines[name], !key.isRepeatable {
      throw LineError(key: name) { "\(name) is already set in line \(first)" }
    }
    // The first value of a list replaces the list's default.
    if firstLines[name] == nil, name == "id_token_algorithm" { idTokenAlgorithms = [] }
    guard key.apply(&self, value) else { throw LineError(key: name) { "\(name) must be \(key.allowed)" } }
    firstLines[name] = firstLines[name] ?? number
  }

  /// Checks the settings that depend on several keys: the URLs that may begin with `http://`, and the host of
  /// `pingone_api`.
  private func checkSchemes(file: String, lines: [String: Int]) throws(ConfigurationError) {
    let issuerURLs = issuers.compactMap { WebURL($0) }
    let urls: [(key: String, urls: [WebURL])] = [
      ("platform", Array(platforms.values) + [platform].compactMap(\.self)),
      ("issuer", issuerURLs), ("am_origin", amOrigins),
      ("journey_server", [journeyServer].compactMap(\.self)),
      ("push_relay", pushRelays),
      ("pingone_api", [pingOneAPI].compactMap(\.self)),
    ]
    for (key, urls) in urls where !urls.allSatisfy(allows) {
      throw ConfigurationError(
        file: file,
        line: lines[key] ?? 0,
        key: key,
        problem: "\(key) \(Self.schemeProblem)"
      )
    }
    if let pingOneAPI, !PingOneTenant.isPublished(pingOneAPI), !pingOneAPI.origin.isLoopback {
      let hosts = PingOneTenant.regions.values.sorted().joined(separator: ", ")
      throw ConfigurationError(
        file: file,
        line: lines["pingone_api"] ?? 0,
        key: "pingone_api",
        problem: "pingone_api must be https:// and one of \(hosts)"
      )
    }
  }

  private static func isBlank(_ character: Character) -> Bool {
    character == " " || character == "\t" || character == "\r"
  }

  private static func contents(of file: String) throws(ConfigurationError) -> String {
    let bytes: [UInt8]
    do throws(SystemError) {
      let descriptor = open(file, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw SystemError("open") }
      defer { close(descriptor) }
      bytes = try readWhole(descriptor, atMost: maximumSize)
    } catch {
      let problem = error.code == EFBIG ? "larger than 1 MiB" : String(cString: strerror(error.code))
      throw ConfigurationError(file: file, line: 0, problem: problem)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ConfigurationError(file: file, line: 0, problem: "not UTF-8")
    }
    return text
  }
}

/// An unusable configuration file; a program that exits for this reason returns 78 (EX_CONFIG).
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
  /// The name of the file, as it was given.
  public let file: String
  /// The line number, from 1; 0 if the error concerns the whole file.
  public let line: Int
  /// The key as written in the file; `nil` if the error does not concern a key.
  public let key: String?
  /// The error and the allowed values, for display.
  public let problem: String

  public init(file: String, line: Int, key: String? = nil, problem: String) {
    (self.file, self.line, self.key, self.problem) = (file, line, key, problem)
  }

  /// The file, the line number and the problem.
  public var description: String { line == 0 ? "\(file): \(problem)" : "\(file):\(line): \(problem)" }
}
